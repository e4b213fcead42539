import type { Program } from '../program.ts'

export const program: Program = {
  name: 'missing-escape',
  source: `export const escape = (text) => text.replace('<', '&lt;').replace('>', '&gt;')
export const attribute = (name, text) => \`\${name}="\${escape(text)}"\`
`,
  test: {
    keeps: `assert.equal(m.escape('a<b'), 'a&lt;b'); assert.equal(m.attribute('a', 'b'), 'a="b"')`,
    shows: `assert.equal(m.escape('<b><i>'), '&lt;b&gt;&lt;i&gt;'); assert.equal(m.escape('a & b'), 'a &amp; b')`,
  },
  heldBack: `assert.equal(m.escape('a & b & c'), 'a &amp; b &amp; c')`,
  fix: [
    `text.replace('<', '&lt;').replace('>', '&gt;')`,
    `text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')`,
  ],
  partial: [
    `text.replace('<', '&lt;').replace('>', '&gt;')`,
    `text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')`,
  ],
  overfit: [
    `text.replace('<', '&lt;').replace('>', '&gt;')`,
    `text.replace('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')`,
  ],
  breaks: ['="${escape(text)}"', '=${escape(text)}'],
}
