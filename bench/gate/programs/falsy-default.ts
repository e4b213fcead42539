import type { Program } from '../program.ts'

export const program: Program = {
  name: 'falsy-default',
  source: `export const limitOf = (options) => options.limit || 10
export const nameOf = (options) => options.name ?? 'none'
`,
  test: {
    keeps: `assert.equal(m.limitOf({}), 10); assert.equal(m.nameOf({}), 'none')`,
    shows: `assert.equal(m.limitOf({ limit: 0 }), 0); assert.equal(m.limitOf({ limit: null }), 10)`,
  },
  heldBack: `assert.equal(m.limitOf({ limit: '' }), '')`,
  fix: ['||', '??'],
  partial: ['options.limit || 10', `'limit' in options ? options.limit : 10`],
  overfit: ['options.limit || 10', 'options.limit === 0 ? 0 : options.limit || 10'],
  breaks: [`'none'`, `'nobody'`],
}
