/** What a command prints, for whoever watches. */
export interface LiveOutput {
  push(chunk: Uint8Array): void
  /** Hands over the rest, also of a last line without an end. */
  end(): void
}

const everyMs = 200
/** Only the newest part of the output between two reports is passed on. */
const mostCharacters = 4_000

/** Passes on whole lines a few times per second, however fast they come. It never passes on half a line: half a secret is not recognised. */
export function createLiveOutput(onText: (text: string) => void): LiveOutput {
  const decoder = new TextDecoder()
  let waiting = ''
  let isInLostLine = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const take = (end: number): void => {
    const text = waiting.slice(0, end)
    waiting = waiting.slice(end)
    if (text.trim() !== '') onText((text.length > mostCharacters ? newestLines(text) : text).trimEnd())
  }
  const flush = (): void => {
    timer = undefined
    take(waiting.lastIndexOf('\n') + 1)
    if (waiting.length <= mostCharacters) return
    waiting = ''
    isInLostLine = true
  }
  return {
    push(chunk) {
      const text = decoder.decode(chunk, { stream: true })
      const start = isInLostLine ? text.indexOf('\n') + 1 : 0
      if (isInLostLine && start === 0) return
      isInLostLine = false
      waiting += text.slice(start)
      if (waiting.length > 64 * mostCharacters) waiting = newestLines(waiting)
      timer ??= setTimeout(flush, everyMs).unref()
    },
    end() {
      clearTimeout(timer)
      take(waiting.length)
    },
  }
}

/** The end of a text, from the first line that is whole. */
function newestLines(text: string): string {
  const newest = text.slice(-mostCharacters)
  return `…${newest.slice(newest.indexOf('\n'))}`
}
