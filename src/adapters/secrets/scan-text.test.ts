import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../test/fixtures/processor-time.ts'
import { GITHUB_TOKEN, madeUp } from './made-up-secrets.ts'
import { findByRules, loadPresetRules, type PresetRule } from './preset.ts'
import { scanText } from './scan-text.ts'

const millisecondsFor = (text: string): Promise<number> =>
  processorMs(async () => expect(await scanText(text)).toHaveProperty('found'))

describe('scanText', () => {
  it('says that the scan failed, without the words of the failure, when a rule or the library crashes', async () => {
    const crashes: PresetRule = {
      messages: {},
      meta: { id: 'crashes', type: 'scanner', recommended: true, supportedContentTypes: ['text'] },
      create: () => ({
        file: ({ content }) => {
          throw new TypeError(content)
        },
      }),
    }
    const unscanned = { unscanned: 'the scan for secrets failed (TypeError)' }
    expect(await scanText(GITHUB_TOKEN, {}, async () => [crashes])).toEqual(unscanned)
    expect(await scanText(GITHUB_TOKEN, {}, () => Promise.reject(new TypeError('gone')))).toEqual(unscanned)
  })

  it('finds secrets anywhere in a long text, also across the parts it is read in', async () => {
    const line = 'just some words and numbers 12345\n'
    const filler = line.repeat(Math.ceil((1024 * 1024) / line.length))
    const spots = [0, 1_016_000, 1_048_560, 2_100_000]
    let text = filler + filler + filler
    for (const spot of spots) text = text.slice(0, spot) + ` ${GITHUB_TOKEN} ` + text.slice(spot)
    const scan = await scanText(text, {})
    const places = 'found' in scan ? new Set(scan.found.map(({ start }) => start)) : scan
    expect(places).toEqual(
      new Set([...text.matchAll(new RegExp(GITHUB_TOKEN, 'g'))].map(({ index }) => index)),
    )
  })

  it.each([
    'A',
    'a1',
    "'",
    '"\'',
    '" ',
    '\\',
    '\n',
    ' ',
    '-',
    '=',
    '%',
    '%41',
    '\\x41',
    '65,',
    '0x41 ',
    '/*',
    "'//",
    '#\n',
    'eyJ',
    'eyJa.',
    'eyJaaaaaaaaaaaaa.eyJaaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----',
    'ghp_',
    'ghs_1_',
    'sk-',
    'xoxb-',
    'Bearer ',
    'http://a:',
    'http://a:b@',
    "='",
    'token=',
    '--token ',
    'a\n',
    '${"',
    '"}',
    "' + '",
    "','",
    '"a"',
    "''.concat(",
    `token = '${madeUp('', 30)}'\n`,
    `${madeUp('', 60)}\n`,
    `${GITHUB_TOKEN} `,
  ])('takes time in proportion to the length of hostile text made of %j', async (unit) => {
    const text = (length: number): string => unit.repeat(Math.ceil(length / unit.length))
    const length = 25_000
    await millisecondsFor(text(length))
    const once = await millisecondsFor(text(length))
    const fourfold = Math.min(
      await millisecondsFor(text(4 * length)),
      await millisecondsFor(text(4 * length)),
    )
    // Less than threefold for each doubling; below some milliseconds the clock tells more of the machine.
    expect(fourfold).toBeLessThan(9 * once + 60)
  })
})

describe('scanText on a patch of 2,000 lines', () => {
  it('takes a fraction of a second', async () => {
    const line = (number: number): string =>
      `  const value${number} = await read('path/${number}', { token, key: "k${number}" }) + 'x'`
    const patch = Array.from({ length: 2000 }, (_, number) => line(number)).join('\n')
    await millisecondsFor(patch)
    const times = [await millisecondsFor(patch), await millisecondsFor(patch), await millisecondsFor(patch)]
    // About 60 ms where nothing else runs.
    expect(Math.min(...times)).toBeLessThan(400)
  })
})

describe('the preset', () => {
  it('never opens a file and never makes a sentence with the secret in it', async () => {
    const hits = findByRules(await loadPresetRules(), `x ${GITHUB_TOKEN}`)
    expect(hits).toEqual([{ kind: 'github token', start: 2, end: 42, value: GITHUB_TOKEN }])
  })

  it('still knows the rules that are left out by name', async () => {
    const { creator } = await import('@secretlint/secretlint-rule-preset-recommend')
    expect(creator.rules.length - (await loadPresetRules()).length).toBe(4)
  })
})
