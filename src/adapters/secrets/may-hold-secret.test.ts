import { describe, expect, it } from 'vitest'
import {
  base64,
  BASE32,
  GITHUB_TOKEN,
  JSON_WEB_TOKEN,
  madeUp,
  PRIVATE_KEY,
  reverse,
} from './made-up-secrets.ts'
import { mayHoldSecret } from './may-hold-secret.ts'

const [head, tail] = [GITHUB_TOKEN.slice(0, 14), GITHUB_TOKEN.slice(14)]
const bytes = [...Buffer.from(GITHUB_TOKEN)]
const random = madeUp('', 32)

describe('mayHoldSecret', () => {
  it.each([
    GITHUB_TOKEN,
    madeUp('AKIA', 16, BASE32),
    PRIVATE_KEY,
    JSON_WEB_TOKEN,
    base64(GITHUB_TOKEN),
    reverse(GITHUB_TOKEN),
    Buffer.from(GITHUB_TOKEN).toString('hex'),
    bytes.map((byte) => `%${byte.toString(16)}`).join(' '),
    bytes.map((byte) => String.raw`\x${byte.toString(16)}`).join(''),
    bytes.map((byte) => `&#${byte};`).join(''),
    `String.fromCharCode(${bytes.join(', ')})`,
    `[${bytes.map((byte) => `0x${byte.toString(16)}`).join(',')}]`,
    `'${head}' + "${tail}"`,
    `['${head.slice(0, 7)}', '${head.slice(7)}', '${tail}'].join('')`,
    JSON.stringify([...GITHUB_TOKEN]),
    [...GITHUB_TOKEN].join('\u200B'),
    `${head}\n  ${tail}`,
    `postgres://app:${madeUp('', 5)}@db/x`,
    `Bearer\t${madeUp('', 10)}~${madeUp('', 12)}`,
    `password = "hunter${madeUp('', 4, '23456789')}"`,
    `PASSWORD=hunter${madeUp('', 4, '23456789')}`,
    `apiKey: '${random.slice(0, 12)}!${random.slice(12, 24)}'`,
    `//r.test/:_authToken=${madeUp('', 9)}`,
  ])('has %j looked at closely', (text) => {
    expect(mayHoldSecret(text)).toBe(true)
  })

  it.each([
    '',
    'no-unused-vars',
    'Unexpected any. Specify a different type.',
    "'foo' is never used (2 of 13)",
    'src/a.mjs',
  ])('passes %j at once', (text) => {
    expect(mayHoldSecret(text)).toBe(false)
  })
})
