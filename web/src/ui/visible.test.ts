import { expect, it } from 'vitest'
import { visible } from './visible.ts'

it('signs that turn the direction of a line are shown by their number', () => {
  expect(visible('src/\u202Esj.tset\u202C.mjs')).toBe('src/⟨U+202E⟩sj.tset⟨U+202C⟩.mjs')
  expect(visible('two\n\tlines')).toBe('two\n\tlines')
})

it('signs that nobody sees are shown too, and what joins an emoji is left alone', () => {
  expect(visible('a\u061Cb\u200Bc\u2028d\uFEFF')).toBe('a⟨U+061C⟩b⟨U+200B⟩c⟨U+2028⟩d⟨U+FEFF⟩')
  expect(visible('👩\u200D👧')).toBe('👩\u200D👧')
})
