import type { Program } from '../program.ts'

export const program: Program = {
  name: 'shallow-copy',
  source: `export function withTag(item, tag) {
  const copy = { ...item }
  copy.tags.push(tag)
  return copy
}
export const hasTag = (item, tag) => item.tags.includes(tag)
`,
  test: {
    keeps: `assert.deepEqual(m.withTag({ tags: [] }, 'a'), { tags: ['a'] }); assert.equal(m.hasTag({ tags: ['a'] }, 'a'), true)`,
    shows: `const item = { tags: [] }; m.withTag(item, 'a'); assert.deepEqual(item, { tags: [] })`,
  },
  heldBack: `const item = { tags: ['x'] }; assert.deepEqual(m.withTag(item, 'a'), { tags: ['x', 'a'] }); assert.deepEqual(item, { tags: ['x'] })`,
  fix: ['copy.tags.push(tag)', 'copy.tags = [...item.tags, tag]'],
  partial: ['const copy = { ...item }', 'const copy = Object.assign(Object.create(null), item)'],
  overfit: [
    'copy.tags.push(tag)',
    `if (item.tags.length === 0) copy.tags = [tag]
  else copy.tags.push(tag)`,
  ],
  breaks: ['includes(tag)', 'includes(item)'],
}
