import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const sections = ['verify', 'workspace', 'fix', 'land', 'review', 'url', 'use']

test('two letters in the wrong order are one mistake, also in the shortest words', () => {
  expect(['fxi', 'lnad', 'reveiw', 'sue'].map((word) => nearest(word, sections))).toEqual([
    'fix',
    'land',
    'review',
    'use',
  ])
})

test('a word that is far from every candidate gets no suggestion', () => {
  expect(['sandbox', 'ab', '', 'fix-everything'].map((word) => nearest(word, sections))).toEqual([
    null,
    null,
    null,
    null,
  ])
})
