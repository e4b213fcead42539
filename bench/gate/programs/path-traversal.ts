import type { Program } from '../program.ts'

export const program: Program = {
  name: 'path-traversal',
  source: `import { join } from 'node:path'
export function inside(root, name) {
  return join(root, name)
}
export const extension = (name) => name.split('.').pop()
`,
  test: {
    keeps: `assert.equal(m.inside('/srv', 'a/b'), '/srv/a/b'); assert.equal(m.extension('a.b.c'), 'c')`,
    shows: `assert.throws(() => m.inside('/srv', '../etc')); assert.throws(() => m.inside('/srv', 'a/../../x'))`,
  },
  heldBack: `assert.equal(m.inside('/srv', 'a..b'), '/srv/a..b'); assert.throws(() => m.inside('/srv', '../srvx'))`,
  fix: [
    'return join(root, name)',
    `const path = join(root, name)
  if (!path.startsWith(\`\${root}/\`)) throw new Error('outside')
  return path`,
  ],
  partial: [
    'return join(root, name)',
    `if (name.startsWith('..')) throw new Error('outside')
  return join(root, name)`,
  ],
  overfit: [
    'return join(root, name)',
    `if (name.includes('..')) throw new Error('outside')
  return join(root, name)`,
  ],
  breaks: ['.pop()', '.at(0)'],
}
