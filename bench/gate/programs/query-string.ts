import type { Program } from '../program.ts'

export const program: Program = {
  name: 'query-string',
  source: `export const query = (values) => Object.entries(values).map(([name, value]) => \`\${name}=\${value}\`).join('&')
export const path = (parts) => parts.join('/')
`,
  test: {
    keeps: `assert.equal(m.query({ a: 1, b: 2 }), 'a=1&b=2'); assert.equal(m.path(['a', 'b']), 'a/b')`,
    shows: `assert.equal(m.query({ q: 'a b' }), 'q=a%20b'); assert.equal(m.query({ q: 'a&b' }), 'q=a%26b')`,
  },
  heldBack: `assert.equal(m.query({ 'a b': 1 }), 'a%20b=1')`,
  fix: ['`${name}=${value}`', '`${encodeURIComponent(name)}=${encodeURIComponent(value)}`'],
  partial: ['`${name}=${value}`', `\`\${name}=\${String(value).replaceAll(' ', '%20')}\``],
  overfit: ['`${name}=${value}`', '`${name}=${encodeURIComponent(value)}`'],
  breaks: [`'/'`, `'//'`],
}
