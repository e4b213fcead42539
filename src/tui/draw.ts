import { Box, render, Text, useInput, type Key, type TextProps } from 'ink'
import { createElement, type ReactElement } from 'react'
import type { KeyPress } from './key-press.ts'
import type { ScreenRow, Tone } from './rows.ts'

export interface Terminal {
  readonly stdin: NodeJS.ReadStream
  /** Where the screen is drawn. */
  readonly stdout: NodeJS.WriteStream
  readonly hasColor: boolean
}

export interface Canvas {
  draw(rows: readonly ScreenRow[]): void
  /** Leaves the alternate screen, shows the cursor and gives the keyboard back. */
  close(): Promise<void>
}

/** Takes the whole terminal. Ink gives it back also when the process ends in any other way. */
export function openCanvas({ stdin, stdout, hasColor }: Terminal, onKey: (key: KeyPress) => void): Canvas {
  const looks = hasColor ? coloured : plain
  const view = (rows: readonly ScreenRow[]): ReactElement => createElement(Screen, { rows, looks, onKey })
  const instance = render(view([]), {
    stdin,
    stdout,
    stderr: stdout,
    interactive: true,
    alternateScreen: true,
    incrementalRendering: true,
    exitOnCtrlC: false,
    patchConsole: false,
  })
  return {
    draw: (rows) => instance.rerender(view(rows)),
    async close() {
      instance.unmount()
      await instance.waitUntilExit()
    },
  }
}

type Look = Omit<TextProps, 'children'>

const plain: Readonly<Record<Tone, Look>> = {
  plain: {},
  dim: { dimColor: true },
  good: {},
  bad: {},
  warn: { bold: true },
  accent: {},
  strong: { bold: true },
  chosen: { inverse: true },
}

const coloured: Readonly<Record<Tone, Look>> = {
  ...plain,
  good: { color: 'green' },
  bad: { color: 'red' },
  warn: { color: 'yellow', bold: true },
  accent: { color: 'cyan' },
}

interface ScreenProps {
  readonly rows: readonly ScreenRow[]
  readonly looks: Readonly<Record<Tone, Look>>
  readonly onKey: (key: KeyPress) => void
}

function Screen({ rows, looks, onKey }: ScreenProps): ReactElement {
  useInput((input, key) => onKey(keyPress(input, key)))
  const lines = rows.map((spans, index) =>
    createElement(
      Text,
      { key: index, wrap: 'truncate-end' },
      spans.length === 0
        ? ' '
        : spans.map(({ text, tone }, at) => createElement(Text, { key: at, ...looks[tone] }, text)),
    ),
  )
  return createElement(Box, { flexDirection: 'column' }, lines)
}

const named: readonly (readonly [keyof Key, KeyPress['name']])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'pageUp'],
  ['pageDown', 'pageDown'],
  ['home', 'home'],
  ['end', 'end'],
  ['tab', 'tab'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'erase'],
  ['delete', 'erase'],
]

function keyPress(input: string, key: Key): KeyPress {
  if (key.ctrl) return { name: input === 'c' ? 'interrupt' : 'text', text: '' }
  const found = named.find(([flag]) => key[flag])
  return { name: found?.[1] ?? 'text', text: found || key.meta ? '' : input }
}
