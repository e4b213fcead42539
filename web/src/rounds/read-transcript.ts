import { withoutReport, type ReportDepth } from '../../../src/client/index.ts'

/** One thing that an agent said or did. */
export interface Said {
  /** The tool that the agent used; null for words. */
  readonly tool: string | null
  readonly text: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Reads the lines of a kept transcript: words that follow each other stand together, and the report is in the answer. */
export function readTranscript(lines: string): readonly Said[] {
  const said: Said[] = []
  let depth: ReportDepth = 0
  const say = (words: string): void => {
    const heard = withoutReport(words.replace(/\n$/, ''), depth)
    depth = heard.depth
    if (heard.text.trim() === '') return
    const last = said.at(-1)
    if (last?.tool === null) said[said.length - 1] = { tool: null, text: `${last.text}\n${heard.text}` }
    else said.push({ tool: null, text: heard.text })
  }
  for (const line of lines.split('\n')) {
    const update = parse(line)
    if (update?.['type'] === 'tool')
      said.push({ tool: textOf(update['name']), text: textOf(update['detail']) })
    else if (update?.['type'] === 'text') say(textOf(update['text']))
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
