import { expect, test } from 'vitest'
import { z } from 'zod'
import { blanksOf } from './blanks.ts'

const Noun = z.object({
  id: z.string(),
  note: z.string().nullable(),
  tags: z.array(z.string()),
  place: z.object({ line: z.number().nullable() }).nullable(),
})
const blanks = blanksOf(Noun)

test('what is null or empty is not stored, and is back when it is read', () => {
  const noun = { id: 'a', note: null, tags: [], place: null }
  expect(blanks.format(noun)).toBe('{"id":"a"}')
  expect(blanks.fill('{"id":"a"}')).toEqual(noun)
})

test('what has a value is stored whole, also when it is falsy or holds nulls itself', () => {
  const noun = { id: '', note: '', tags: [''], place: { line: null } }
  expect(JSON.parse(blanks.format(noun))).toEqual(noun)
  expect(blanks.fill(blanks.format(noun))).toEqual(noun)
})

test('a row that an older version wrote with all its fields reads the same', () => {
  const noun = { id: 'a', note: null, tags: [], place: null }
  expect(blanks.fill(JSON.stringify(noun))).toEqual(noun)
})

test('a field that may not be blank stays away, for the schema to refuse', () => {
  expect(Noun.safeParse(blanks.fill('{"note":"x"}')).success).toBe(false)
})
