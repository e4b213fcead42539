import { describe, expect, it } from 'vitest'
import { base64, GITHUB_TOKEN, madeUp, PRIVATE_KEY } from './made-up-secrets.ts'
import { redactKnown, redactSecrets } from './redact-secrets.ts'

describe('redactSecrets', () => {
  it('puts a mark in place of each secret and leaves the rest as it is', async () => {
    const text = `a ${GITHUB_TOKEN} b\n${PRIVATE_KEY}\nc postgres://app:${madeUp('', 12)}@db/x`
    expect(await redactSecrets(text)).toBe(
      'a [redacted: github token] b\n[redacted: private key]\nc postgres://app:[redacted: url credentials]@db/x',
    )
  })

  it('leaves no tail of a secret whose name stands before it', async () => {
    const secret = madeUp('', 40)
    const text = `aws_secret_access_key = "${secret}"\n//r.test/:_authToken=${GITHUB_TOKEN}\n`
    expect(await redactSecrets(text)).toBe(
      'aws_secret_access_key = "[redacted: aws key]"\n//r.test/:_authToken=[redacted: github token]\n',
    )
  })

  it('redacts what is encoded or in pieces, from its first to its last character', async () => {
    const text = `f('${base64(GITHUB_TOKEN)}', '${GITHUB_TOKEN.slice(0, 9)}' +\n '${GITHUB_TOKEN.slice(9)}')`
    const redacted = await redactSecrets(text)
    expect(redacted).toMatch(/^f\('\[redacted: github token\]/)
    expect(redacted).not.toContain(GITHUB_TOKEN.slice(0, 9))
    expect(redacted).not.toContain(GITHUB_TOKEN.slice(9))
  })

  it('redacts text around a byte order mark and other characters at the right place', async () => {
    expect(await redactSecrets(`\uFEFF😀 ${GITHUB_TOKEN} ü`)).toBe('\uFEFF😀 [redacted: github token] ü')
  })

  it('changes nothing the second time', async () => {
    const once = await redactSecrets(`token = "${madeUp('', 32)}" ${GITHUB_TOKEN}`)
    expect(await redactSecrets(once)).toBe(once)
  })

  it('leaves nothing of a text that is too long to be scanned', async () => {
    expect(await redactSecrets('a'.repeat(64 * 1024 * 1024 + 1))).toBe(
      '[redacted: the text is too long to be scanned for secrets]',
    )
  })
})

describe('redactKnown', () => {
  it('redacts known values in every disguise, at once', () => {
    const known = ['Canary-7-feather']
    const text = `a Canary-7-feather b ${base64('Canary-7-feather')} c 'Canary-' + '7-feather' d`
    expect(redactKnown(text, known)).toBe(
      "a [redacted: known value] b [redacted: known value]== c '[redacted: known value]' d",
    )
    expect(redactKnown('nothing here', known)).toBe('nothing here')
  })
})
