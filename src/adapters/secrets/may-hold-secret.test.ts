import { describe, expect, it } from 'vitest'
import {
  base64,
  BASE32,
  GITHUB_TOKEN,
  JSON_WEB_TOKEN,
  madeUp,
  PRIVATE_KEY,
  reverse,
  HEX,
} from './made-up-secrets.ts'
import { mayHoldSecret } from './may-hold-secret.ts'
import { scanNow } from './scan-text.ts'

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
    'packages/authentication/src/token-storage/module-12.mjs',
    'fingerprint primaryLocationLineHash/v1 387276917:98',
    `fingerprint contextHash ${madeUp('', 64, HEX)}`,
  ])('passes %j at once', (text) => {
    expect(mayHoldSecret(text)).toBe(false)
  })

  it('sees a secret wherever it stands in a text that is looked at in parts', () => {
    for (const from of [64 * 1024 - 30, 64 * 1024 - 10, 64 * 1024, 128 * 1024 - 20])
      for (const space of [' ', '\u00e4'])
        expect(mayHoldSecret(`${space.repeat(from)} ${madeUp('AKIA', 16, BASE32)} `)).toBe(true)
  })

  it('passes no text in which a closer look finds anything', () => {
    const next = numbers(7)
    const pick = (from: readonly string[]): string => from[next() % from.length] ?? ''
    let found = 0
    for (let round = 0; round < 3_000; round += 1) {
      const text = Array.from({ length: 1 + (next() % 6) }, () => pick(pieces)).join(pick(glue))
      const hits = scanNow(text)
      found += Math.sign(hits.length)
      if (hits.length > 0) expect({ text, looks: mayHoldSecret(text) }).toEqual({ text, looks: true })
    }
    expect(found).toBeGreaterThan(300)
  })
})

const pieces = [
  GITHUB_TOKEN,
  head,
  tail,
  random,
  random.slice(0, 18),
  'sk-',
  madeUp('sk-ant-', 24),
  'AKIA',
].concat(
  [madeUp('AKIA', 16, BASE32), `password=${random.slice(0, 9)}`, 'apiKey: ', 'token=', '//app:hunter22@h'],
  [base64(GITHUB_TOKEN), base64(`xy${GITHUB_TOKEN}`), base64(GITHUB_TOKEN).slice(1), `/${base64('ok')}`],
  [reverse(GITHUB_TOKEN), Buffer.from(GITHUB_TOKEN).toString('hex'), `a${Buffer.from(tail).toString('hex')}`],
  ['src/components/Deep/Feature.tsx', madeUp('', 40, HEX), 'postgres:', '://', 'Bearer ', 'words in a row'],
)
const glue = ['', '', ' ', "' + '", '", "', '\n', '/* x */', '\'/*a"+"b*/+\'', '=', '-', ': "', '\u200B']

/** Pseudo-random whole numbers, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) >>> 8
}
