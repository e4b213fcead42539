import { expect, it } from 'vitest'
import { readTranscript } from './read-transcript.ts'

const lines = (...updates: readonly object[]): string =>
  updates.map((one) => `${JSON.stringify(one)}\n`).join('')
const text = (words: string) => ({ type: 'text', text: words })

it('what an agent says stands on lines of its own around its tools, without the report of its answer', () => {
  const report = JSON.stringify({ issues: { 'BE-001': { outcome: 'fixed' } } })
  expect(
    readTranscript(
      lines(
        text('Reading src/cart.mjs …'),
        text('The sum is too low.\n'),
        { type: 'tool', name: 'edit', detail: 'src/cart.mjs' },
        text('Done.'),
        text(report),
        { type: 'cut', updates_left_out: 3 },
      ),
    ),
  ).toEqual([
    { tool: null, text: 'Reading src/cart.mjs …\nThe sum is too low.' },
    { tool: 'edit', text: 'src/cart.mjs' },
    { tool: null, text: 'Done.' },
    { tool: null, text: '… the rest was too long to keep' },
  ])
})
