import { expect, test } from 'vitest'
import { NewestMap } from './newest-map.ts'

test('a full map drops what was set longest ago', () => {
  const map = new NewestMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})

test('a map that is not full keeps everything', () => {
  const map = new NewestMap<string, number>(2)
  map.set('a', 1).set('b', 2).delete('a')
  expect([...map.set('c', 3)]).toEqual([
    ['b', 2],
    ['c', 3],
  ])
})
