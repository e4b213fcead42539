import type { Program } from '../program.ts'

export const program: Program = {
  name: 'callback-arguments',
  source: `export const numbers = (texts) => texts.map(parseInt)
export const joined = (texts) => texts.join('-')
`,
  test: {
    keeps: `assert.deepEqual(m.numbers(['7']), [7]); assert.equal(m.joined(['a', 'b']), 'a-b')`,
    shows: `assert.deepEqual(m.numbers(['10', '9', '8']), [10, 9, 8])`,
  },
  heldBack: `assert.deepEqual(m.numbers(['12px', '3em']), [12, 3])`,
  fix: ['texts.map(parseInt)', 'texts.map((text) => parseInt(text, 10))'],
  partial: ['texts.map(parseInt)', 'texts.map((text) => parseInt(text, 8))'],
  overfit: ['texts.map(parseInt)', 'texts.map(Number)'],
  breaks: [`'-'`, `'+'`],
}
