import { expect, it } from 'vitest'
import { patchFile } from '../../../test/fixtures/attempt-samples.ts'
import { judgedPatch } from '../../../test/fixtures/judged-patch.ts'
import { filesOutsideFinding, listPaths } from './patch.ts'

it('files outside the finding are noted, both ends of a rename included', () => {
  const patch = { ...judgedPatch([]).patch, files: [patchFile('a'), patchFile('b', { old_path: 'c' })] }
  expect(filesOutsideFinding(patch, 'a')).toEqual(['c', 'b'])
})

it('many paths are listed as the first eight and how many more there are', () => {
  expect(listPaths(['a', 'b'])).toBe('a, b')
  expect(listPaths([...'abcdefghij'])).toBe('a, b, c, d, e, f, g, h and 2 more')
})
