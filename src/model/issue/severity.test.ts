import { expect, it } from 'vitest'
import { parseSeverity } from './severity.ts'

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'a severity called %s is an unknown word, and says so',
  (word) =>
    expect(parseSeverity(word)).toEqual({
      severity: 'minor',
      note: `severity "${word}" is not known: taken as minor`,
    }),
)
