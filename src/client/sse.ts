/** One message of an event stream; comments and heartbeats are none. */
export interface StreamMessage {
  readonly id: string | null
  readonly data: string
}

export interface StreamParser {
  /** The messages that are complete with this piece of text. */
  push(text: string): readonly StreamMessage[]
}

/** Reads the text of an event stream piece by piece, wherever the pieces are cut. */
export function createStreamParser(): StreamParser {
  let rest = ''
  let id: string | null = null
  let data: string[] = []
  const takeLine = (line: string): StreamMessage | null => {
    if (line === '') {
      const message = data.length > 0 ? { id, data: data.join('\n') } : null
      id = null
      data = []
      return message
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'data') data.push(value)
    else if (field === 'id') id = value
    return null
  }
  return {
    push(text) {
      const lines = `${rest}${text}`.split('\n')
      rest = lines.pop() ?? ''
      return lines.map((line) => takeLine(line.replace(/\r$/, ''))).filter((message) => message !== null)
    },
  }
}
