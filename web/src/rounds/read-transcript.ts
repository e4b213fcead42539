/** One thing that an agent said or did. */
export interface Said {
  /** The tool that the agent used; null for words. */
  readonly tool: string | null
  readonly text: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Reads the lines of a kept transcript, and joins words that follow each other. */
export function readTranscript(lines: string): readonly Said[] {
  const said: Said[] = []
  for (const line of lines.split('\n')) {
    const update = parse(line)
    const last = said.at(-1)
    if (update?.['type'] === 'tool')
      said.push({ tool: textOf(update['name']), text: textOf(update['detail']) })
    else if (update?.['type'] === 'text' && last?.tool === null)
      said[said.length - 1] = { tool: null, text: `${last.text}${textOf(update['text'])}` }
    else if (update?.['type'] === 'text') said.push({ tool: null, text: textOf(update['text']) })
    else if (update?.['type'] === 'cut') said.push({ tool: null, text: '… the rest was too long to keep' })
  }
  return said
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  if (line.trim() === '') return null
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>
  } catch {
    return { type: 'text', text: line }
  }
}
