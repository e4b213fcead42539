import type { Program } from '../program.ts'

export const program: Program = {
  name: 'loose-pattern',
  source: `export const isEmail = (text) => /\\S+@\\S+.\\S+/.test(text)
export const domain = (email) => email.split('@')[1]
`,
  test: {
    keeps: `assert.equal(m.isEmail('a@b.cc'), true); assert.equal(m.domain('a@b.cc'), 'b.cc')`,
    shows: `assert.equal(m.isEmail('a@bcc'), false); assert.equal(m.isEmail('x a@b.cc y'), false)`,
  },
  heldBack: `assert.equal(m.isEmail('a@@b.cc'), false)`,
  fix: [`/\\S+@\\S+.\\S+/`, `/^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$/`],
  partial: [`/\\S+@\\S+.\\S+/`, `/\\S+@\\S+\\.\\S+/`],
  overfit: [`/\\S+@\\S+.\\S+/`, `/^\\S+@\\S+\\.\\S+$/`],
  breaks: ['[1]', '[0]'],
}
