import { expect, it } from 'vitest'
import { GITHUB_TOKEN, PRIVATE_KEY } from './made-up-secrets.ts'
import { redactStream } from './redact-stream.ts'

const streamed = (pieces: readonly string[]): readonly string[] => pieces.map(redactStream())
const [, ...body] = PRIVATE_KEY.split('\n')

it('a key that comes line by line, or in any two pieces of lines, is told to nobody', () => {
  const lines = `Look:\n${PRIVATE_KEY}\nThat is ${GITHUB_TOKEN}.`.split('\n')
  const divided = lines.map((_, at) => [lines.slice(0, at).join('\n'), lines.slice(at).join('\n')])
  for (const pieces of [lines, ...divided]) {
    const told = streamed(pieces).join('\n')
    for (const line of body.slice(0, -1)) expect(told).not.toContain(line)
    expect(told).toContain('[redacted: private key]')
    expect(told).toMatch(/Look:[^]*That is \[redacted: github token\]\.$/)
  }
})

it('what is said after the beginning of a key that nobody shows is told', () => {
  const begin = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')
  expect(streamed([`A file with ${begin} in it`, 'is what I look for.', 'Done'])).toEqual([
    `A file with ${begin} in it`,
    'is what I look for.',
    'Done',
  ])
  const flood = streamed([begin, ...Array.from({ length: 9 }, () => 'a'.repeat(4_000))])
  expect(flood.at(-1)).toBe('a'.repeat(4_000))
})
