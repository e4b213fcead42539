import type { Program } from '../program.ts'

export const program: Program = {
  name: 'encoding',
  source: `export const byteLength = (text) => text.length
export const isEmpty = (text) => text === ''
`,
  test: {
    keeps: `assert.equal(m.byteLength('abc'), 3); assert.equal(m.isEmpty(''), true)`,
    shows: `assert.equal(m.byteLength('\\u00e9'), 2); assert.equal(m.byteLength('\\u20ac'), 3)`,
  },
  heldBack: `assert.equal(m.byteLength('\\u{1f600}'), 4)`,
  fix: ['text.length', `Buffer.byteLength(text, 'utf8')`],
  partial: ['text.length', `Buffer.byteLength(text, 'utf16le') / 1`],
  overfit: [
    'text.length',
    '[...text].reduce((sum, each) => sum + (each.charCodeAt(0) > 2047 ? 3 : each.charCodeAt(0) > 127 ? 2 : 1), 0)',
  ],
  breaks: [`=== ''`, `!== ''`],
}
