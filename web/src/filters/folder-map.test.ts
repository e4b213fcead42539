import { expect, it } from 'vitest'
import { heatOf } from './folder-map.tsx'

const folders = [
  { value: 'src/app', count: 3 },
  { value: 'src/app/fix', count: 4 },
  { value: 'src/web', count: 2 },
]

it('a map begins where the folders part, and counts what is below each', () => {
  expect(heatOf(folders, undefined)).toEqual([
    { path: 'src/app', count: 7 },
    { path: 'src/web', count: 2 },
  ])
  expect(heatOf(folders, 'src/app')).toEqual([
    { path: 'src/app/fix', count: 4 },
    { path: 'src/app', count: 3 },
  ])
  expect(heatOf(folders, 'src/web')).toEqual([{ path: 'src/web', count: 2 }])
})
