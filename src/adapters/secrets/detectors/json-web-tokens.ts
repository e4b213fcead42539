import type { Hit } from '../hit.ts'
import { matchesOf } from '../hit.ts'

// Begins only where a run of its characters begins: anything else would read the same run again and again.
const shape = /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{6,}\.[\w-]{16,}/g

/** Signed JSON web tokens whose header names an algorithm. */
export function findJsonWebTokens(text: string): readonly Hit[] {
  return [...matchesOf(text, shape)]
    .filter(({ value }) => hasHeader(value) && !isTextbookToken(value))
    .map((match) => ({ kind: 'json web token', ...match }))
}

const decode = (part: string): string => Buffer.from(part.slice(0, 4096), 'base64url').toString('latin1')

const hasHeader = (token: string): boolean => /^\{.*"alg"\s*:\s*"/s.test(decode(token.split('.', 1)[0] ?? ''))

/** The token that documentation everywhere shows. */
const isTextbookToken = (token: string): boolean =>
  /"sub"\s*:\s*"1234567890".*"John Doe"/s.test(decode(token.split('.', 2)[1] ?? ''))
