import { styleText } from 'node:util'
import { redactor } from '../../app/redact/redact-exits.ts'
import { printable } from '../../client/printable.ts'

export type OutputMode = 'text' | 'json' | 'jsonl'

/** Where a command writes: results on stdout, progress on stderr; never colours where nobody asked for them. */
export interface Output {
  readonly mode: OutputMode
  /** A person is watching stderr, so lanes and questions make sense. */
  readonly isInteractive: boolean
  /** The result as text; nothing in JSON modes. */
  print(text: string): void
  /** The one result object of a JSON mode; nothing in text mode. */
  result(value: Readonly<Record<string, unknown>>): void
  /** A result that is a secret, meant for whoever runs the command: as it is, as text and as the one object. */
  reveal(text: string, value: Readonly<Record<string, unknown>>): void
  /** One event, in the `jsonl` mode. */
  event(value: unknown): void
  /** Progress for people. */
  say(text: string): void
  paint(style: Parameters<typeof styleText>[0], text: string): string
}

interface Stream {
  readonly isTTY: boolean
  write(text: string): boolean
}

export interface Streams {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly env: Readonly<Record<string, string | undefined>>
}

export function createOutput(mode: OutputMode, { stdout, stderr, env }: Streams): Output {
  const hasColor = Boolean(stdout.isTTY) && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return {
    mode,
    isInteractive: mode === 'text' && Boolean(stderr.isTTY) && !env['CI'] && env['TERM'] !== 'dumb',
    print: (text) =>
      mode === 'text' && stdout.write(`${redactor.value(hasColor ? text : printable(text))}\n`),
    result: (value) =>
      mode !== 'text' &&
      stdout.write(`${JSON.stringify(redactor.value(value), null, mode === 'json' ? 2 : 0)}\n`),
    reveal: (text, value) =>
      stdout.write(
        mode === 'text' ? `${text}\n` : `${JSON.stringify(value, null, mode === 'json' ? 2 : 0)}\n`,
      ),
    event: (value) => mode === 'jsonl' && stdout.write(`${JSON.stringify(redactor.value(value))}\n`),
    say: (text) => stderr.write(`${redactor.value(printable(text))}\n`),
    paint: (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text),
  }
}
