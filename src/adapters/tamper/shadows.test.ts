import { expect, it } from 'vitest'
import { findShadows } from './shadows.ts'

const added = (path: string) => ({
  path,
  oldPath: null,
  status: 'added' as const,
  before: null,
  after: 'x\n',
  isBinary: false,
})
const shadowed = (path: string, ...existing: readonly string[]): readonly string[] =>
  findShadows([added(path)], new Set(existing)).map(({ what }) => what)

it.each([
  ['lib/same.js', 'lib/same.ts'],
  ['lib/same/index.js', 'lib/same.ts'],
  ['lib/same.ts', 'lib/same/index.ts'],
  ['pkg/same/__init__.py', 'pkg/same.py'],
])('%s stands before %s for whoever loads it by name', (path, twin) => {
  expect(shadowed(path, twin)).toEqual([`whoever loads ${twin} by its name may get this instead`])
})

it('a mock is taken by tests that nobody changed', () => {
  expect(shadowed('src/__mocks__/a.js')).toHaveLength(1)
})

it.each([
  ['lib/same.d.ts', 'lib/same.js'],
  ['lib/same.py', 'lib/same.js'],
  ['lib/other.js', 'lib/same.js'],
  ['lib/same.test.js', 'lib/same.test.ts'],
])('%s stands beside %s', (path, twin) => {
  expect(shadowed(path, twin)).toEqual([])
})

it('a file that takes the place of one that is deleted stands before nothing', () => {
  const deleted = { ...added('lib/same.js'), status: 'deleted' as const, before: 'x\n', after: null }
  expect(findShadows([added('lib/same.ts'), deleted], new Set(['lib/same.js']))).toEqual([])
})
