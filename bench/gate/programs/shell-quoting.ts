import type { Program } from '../program.ts'

export const program: Program = {
  name: 'shell-quoting',
  source: `export const quote = (word) => \`'\${word}'\`
export const line = (words) => words.map(quote).join(' ')
`,
  test: {
    keeps: `assert.equal(m.quote('a b'), "'a b'"); assert.equal(m.line(['a', 'b']), "'a' 'b'")`,
    shows: `assert.equal(m.quote("a'b"), "'a'\\\\''b'")`,
  },
  heldBack: `assert.equal(m.quote("'a'"), "''\\\\''a'\\\\'''")`,
  fix: ['${word}', `\${word.replaceAll("'", "'\\\\''")}`],
  partial: ['${word}', `\${word.replace("'", '')}`],
  overfit: ['${word}', `\${word.replace("'", "'\\\\''")}`],
  breaks: [`' ')`, `'')`],
}
