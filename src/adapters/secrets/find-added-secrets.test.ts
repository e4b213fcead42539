import { describe, expect, it } from 'vitest'
import { findAddedSecrets } from './find-added-secrets.ts'
import { base64, GITHUB_TOKEN, madeUp } from './made-up-secrets.ts'

const other = madeUp('glpat-', 20)

describe('findAddedSecrets', () => {
  it('finds what a change adds, with its line', async () => {
    const changes = [
      { path: 'a.ts', before: 'one\n', after: 'one\ntwo\n' },
      { path: 'b.ts', before: 'one\n', after: `one\nconst t = '${GITHUB_TOKEN}'\n` },
    ]
    expect(await findAddedSecrets(changes)).toEqual({
      found: [{ change: 1, path: 'b.ts', line: 2, kind: 'github token' }],
    })
  })

  it.each([
    ['stays', GITHUB_TOKEN, `new line\n${GITHUB_TOKEN}`],
    ['is quoted otherwise', `t: ${GITHUB_TOKEN}`, `t = "${GITHUB_TOKEN}"`],
    ['stays in base64', base64(GITHUB_TOKEN), `x\n'${base64(GITHUB_TOKEN)}'`],
    ['is decoded', base64(GITHUB_TOKEN), GITHUB_TOKEN],
    ['is put together', `'${GITHUB_TOKEN.slice(0, 9)}' + '${GITHUB_TOKEN.slice(9)}'`, GITHUB_TOKEN],
    ['only gets a name that tells', `k = "${madeUp('', 32)}"`, `apiKey = "${madeUp('', 32)}"`],
    ['gets other neighbours', `A=1\nT=${other}\n`, `A=1\nT=${other}\nNEXT=2\n`],
    ['is taken out', `t = ${GITHUB_TOKEN}`, 't = process.env.T'],
  ])('adds nothing when a secret that was there %s', async (_title, before, after) => {
    expect(await findAddedSecrets([{ path: 'a', before, after }])).toEqual({ found: [] })
  })

  it('adds nothing when a secret moves to another file', async () => {
    const changes = [
      { path: 'old.env', before: `T=${GITHUB_TOKEN}`, after: null },
      { path: 'new.env', before: null, after: `T=${GITHUB_TOKEN}` },
    ]
    expect(await findAddedSecrets(changes)).toEqual({ found: [] })
  })

  it('finds the new one of two secrets in a line', async () => {
    const scan = await findAddedSecrets([
      { path: 'a', before: GITHUB_TOKEN, after: `${GITHUB_TOKEN} ${other}` },
    ])
    expect(scan).toEqual({ found: [{ change: 0, path: 'a', line: 1, kind: 'gitlab token' }] })
  })

  it('finds a secret in the name of a new file and does not repeat it', async () => {
    const path = `docs/${GITHUB_TOKEN}.md`
    expect(await findAddedSecrets([{ path, before: null, after: 'text' }])).toEqual({
      found: [{ change: 0, path: 'docs/[redacted: github token].md', line: null, kind: 'github token' }],
    })
    expect(await findAddedSecrets([{ path, before: 'text', after: 'other text' }])).toEqual({ found: [] })
  })

  it('copes with more secrets than anyone would write', async () => {
    const many = (prefix: string): string =>
      Array.from(
        { length: 20_000 },
        (_, number) => madeUp('ghp_', 30) + prefix + String(number).padStart(5, '0'),
      ).join('\n')
    const before = many('a')
    expect(await findAddedSecrets([{ path: 'a', before, after: before }])).toEqual({ found: [] })
    const scan = await findAddedSecrets([{ path: 'a', before, after: many('b') }])
    expect('found' in scan && scan.found.length).toBe(20_000)
  }, 90_000)

  it('says that it could not look rather than that there is nothing', async () => {
    const after = 'a'.repeat(64 * 1024 * 1024 + 1)
    expect(await findAddedSecrets([{ path: 'a', before: null, after }])).toEqual({
      unscanned: 'the text is too long to be scanned for secrets',
    })
  })
})
