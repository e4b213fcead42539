import { expect, it } from 'vitest'
import { visible } from './visible.ts'

it('signs that turn the direction of a line are shown by their number', () => {
  expect(visible('src/\u202Esj.tset\u202C.mjs')).toBe('src/⟨U+202E⟩sj.tset⟨U+202C⟩.mjs')
  expect(visible('two\n\tlines')).toBe('two\n\tlines')
})
