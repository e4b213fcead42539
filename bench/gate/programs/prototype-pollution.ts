import type { Program } from '../program.ts'

export const program: Program = {
  name: 'prototype-pollution',
  source: `export function merge(target, source) {
  for (const key of Object.keys(source)) {
    if (typeof source[key] === 'object') merge((target[key] ??= {}), source[key])
    else target[key] = source[key]
  }
  return target
}
export const count = (value) => Object.keys(value).length
`,
  test: {
    keeps: `assert.deepEqual(m.merge({ a: 1 }, { b: { c: 2 } }), { a: 1, b: { c: 2 } }); assert.equal(m.count({ a: 1 }), 1)`,
    shows: `m.merge({}, JSON.parse('{"__proto__":{"dirty":1}}')); const found = {}.dirty; delete Object.prototype.dirty; assert.equal(found, undefined)`,
  },
  heldBack: `m.merge({}, JSON.parse('{"constructor":{"prototype":{"dirty":1}}}')); const found = {}.dirty; delete Object.prototype.dirty; assert.equal(found, undefined)`,
  fix: [
    '    if (typeof',
    `    if (['__proto__', 'constructor', 'prototype'].includes(key)) continue
    if (typeof`,
  ],
  partial: [
    '    if (typeof',
    `    if (key === 'prototype') continue
    if (typeof`,
  ],
  overfit: [
    '    if (typeof',
    `    if (key === '__proto__') continue
    if (typeof`,
  ],
  breaks: [
    `.length
`,
    `.size
`,
  ],
}
