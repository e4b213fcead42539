import type { Program } from '../program.ts'

export const program: Program = {
  name: 'surrogates',
  source: `export const reverse = (text) => text.split('').reverse().join('')
export const upper = (text) => text.toUpperCase()
`,
  test: {
    keeps: `assert.equal(m.reverse('abc'), 'cba'); assert.equal(m.upper('a'), 'A')`,
    shows: `assert.equal(m.reverse('a\\u{1f600}'), '\\u{1f600}a')`,
  },
  heldBack: `assert.equal(m.reverse('b\\u{1f389}'), '\\u{1f389}b')`,
  fix: [`text.split('')`, '[...text]'],
  partial: [`text.split('')`, `text.normalize('NFD').split('')`],
  overfit: [`.join('')`, `.join('').replace('\\ude00\\ud83d', '\\ud83d\\ude00')`],
  breaks: ['toUpperCase', 'toLowerCase'],
}
