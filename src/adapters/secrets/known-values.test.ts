import { describe, expect, it } from 'vitest'
import { uniteHits } from './detectors/hit.ts'
import { findKnownValues } from './known-values.ts'
import { base64, reverse } from './made-up-secrets.ts'
import { scanText } from './scan-text.ts'

const canary = 'Canary/7 wing-9#feather'
const known = [canary]

const placesIn = (text: string): readonly string[] =>
  uniteHits(findKnownValues(text, known)).map(({ start, end }) => text.slice(start, end))

describe('findKnownValues', () => {
  it.each([
    ['as it is', `a ${canary} b`],
    ['in quotes and pieces', `'Canary/7' + " wing" + \`-9#fea\`, 'ther'`],
    ['over lines', 'Canary/7\n  wing-9#\n  feather'],
    ['in another case', canary.toUpperCase()],
    ['backwards', reverse(canary)],
    ['in base64', base64(canary)],
    ['in base64 behind one byte', base64(`>${canary}<`)],
    ['in base64 behind two bytes', base64(`>>${canary}<<`)],
    ['in base64 for addresses', Buffer.from(canary).toString('base64url')],
    ['in base64 over lines', base64(canary).replaceAll(/(.{8})/g, '$1\n')],
    ['in base64 backwards', reverse(base64(canary))],
    ['in hexadecimal', Buffer.from(canary).toString('hex')],
    ['in hexadecimal pairs', Buffer.from(canary).toString('hex').replaceAll(/(..)/g, '$1:')],
    [
      'in escapes',
      Buffer.from(canary)
        .toString('hex')
        .replaceAll(/(..)/g, String.raw`\x$1`),
    ],
    ['in an address', encodeURIComponent(canary)],
    ['in percent signs', Buffer.from(canary).toString('hex').replaceAll(/(..)/g, '%$1')],
    ['in character codes', [...Buffer.from(canary)].join(', ')],
  ])('finds a value %s', (_title, text) => {
    expect(placesIn(text)).toHaveLength(1)
  })

  it('says where the value begins and ends', () => {
    expect(placesIn(`let a = '${canary}' + b`)).toEqual([canary])
    const marked = '!!wing-9-feather!!'
    expect(uniteHits(findKnownValues(`a ${marked} b`, [marked]))).toEqual([
      { kind: 'known value', start: 2, end: 20, value: marked },
    ])
  })

  it('finds every occurrence, also of values without letters', () => {
    expect(placesIn(`${canary} ${canary}`)).toEqual([canary, canary])
    expect(findKnownValues('a !?§$%&/()=! b', ['!?§$%&/()=!'])).toEqual([
      { kind: 'known value', start: 2, end: 13, value: '!?§$%&/()=!' },
    ])
  })

  it('leaves ordinary text and values too short to mean anything alone', () => {
    expect(placesIn('a canary, seven wings and nine feathers')).toEqual([])
    expect(findKnownValues('true and abc', ['true', 'abc', ''])).toEqual([])
  })
})

describe('scanText with known values', () => {
  it('finds one that is kept in pieces in several variables', async () => {
    const text = `const a = 'Canary/7 wi'\nconst b = "ng-9#feather"\nsend(a + b)\n`
    const scan = await scanText(text, { known })
    expect('found' in scan && uniteHits(scan.found)).toMatchObject([
      { kind: 'known value', start: 11, end: 47 },
    ])
  })
})
