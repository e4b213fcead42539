import { describe, expect, it } from 'vitest'
import { uniteHits } from './detectors/hit.ts'
import {
  BASE32,
  base64,
  GITHUB_TOKEN,
  HEX,
  JSON_WEB_TOKEN,
  madeUp,
  PRIVATE_KEY,
  reverse,
} from './made-up-secrets.ts'
import { scanText } from './scan-text.ts'

const kindsIn = async (text: string): Promise<readonly string[]> => {
  const scan = await scanText(text, {})
  return 'found' in scan ? uniteHits(scan.found).map(({ kind }) => kind) : [scan.unscanned]
}

const random = madeUp('', 32)

describe('scanText', () => {
  it.each([
    ['a GitHub token', `const t = '${GITHUB_TOKEN}'`, 'github token'],
    ['a GitHub token inside a longer word', `x${GITHUB_TOKEN}`, 'github token'],
    ['an AWS key id', madeUp('AKIA', 16, BASE32), 'aws key'],
    ['an AWS secret key', `aws_secret_access_key = "${madeUp('', 40)}"`, 'aws key'],
    ['a Google key', madeUp('AIza', 35), 'google key'],
    ['a Slack token', `${madeUp('xoxb-', 12, '123456789')}-${madeUp('', 24)}`, 'slack token'],
    ['a GitLab token', madeUp('glpat-', 20), 'gitlab token'],
    ['an npm token', madeUp('npm_', 36), 'npm token'],
    ['a PyPI token', madeUp('pypi-AgEIcHlwaS5vcmc', 80), 'pypi token'],
    ['a Stripe key', madeUp('sk_live_', 24), 'stripe key'],
    ['a key of a model vendor', madeUp('sk-', 48), 'api key'],
    ['a bearer header', `Authorization: Bearer ${madeUp('', 40)}`, 'bearer token'],
    ['a registry login', `//registry.test/:_authToken=${madeUp('', 24)}`, 'npm token'],
    ['a private key', PRIVATE_KEY, 'private key'],
    ['a private key in one line', JSON.stringify({ k: PRIVATE_KEY }), 'private key'],
    ['a private key without its end', PRIVATE_KEY.slice(0, 400), 'private key'],
    ['a JSON web token', `"${JSON_WEB_TOKEN}"`, 'json web token'],
    ['a password in an address', `postgres://app:${madeUp('', 12)}@db.internal/x`, 'url credentials'],
    ['a password without a user', `redis://:${madeUp('', 12)}@cache:6379`, 'url credentials'],
    ['a constant', `const apiKey: string = "${random}"`, 'assigned secret'],
    ['a property', `{ "client_secret": "${random}" }`, 'assigned secret'],
    ['an item of a dictionary', `config['db_password'] = '${random}'`, 'assigned secret'],
    ['an argument', `headers.set('X-Api-Key', '${random}')`, 'assigned secret'],
    ['a Go declaration', `var token string = "${random}"`, 'assigned secret'],
    ['an environment file', `export SESSION_SECRET=${random}\n`, 'assigned secret'],
    ['a line of a diff', `+SIGNING_KEY_PROD: ${random}`, 'assigned secret'],
    ['a hexadecimal token', `token = "${madeUp('', 40, HEX)}"`, 'assigned secret'],
    ['an address parameter', `https://api.internal/v1?access_token=${random}&x=1`, 'assigned secret'],
    ['a command option', `deploy --password ${random}`, 'assigned secret'],
  ])('finds %s', async (_title, text, kind) => {
    expect(await kindsIn(text)).toEqual([kind])
  })

  it.each([
    ['a documented AWS key', 'AKIAIOSFODNN7EXAMPLE'],
    ['a documented AWS secret', 'aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"'],
    ['an AWS account', 'aws_account_id = "4312-9876-5501"'],
    ['a git hash', `commit ${madeUp('', 40, HEX)}`],
    ['a UUID, even as a token', "token: '9f1c2ab4-77de-4c1b-9a53-0b7be24d6f11'"],
    ['an integrity hash', `"integrity": "sha512-${madeUp('', 86)}=="`],
    [
      'a lock file',
      `    "node_modules/x": { "version": "1.2.3", "resolved": "https://r.test/x/-/x-1.2.3.tgz",\n      "integrity": "sha512-${madeUp('', 86)}==" },\n`.repeat(
        40,
      ),
    ],
    ['a lock file of another kind', `  resolution: {integrity: sha512-${madeUp('', 86)}==}\n`.repeat(20)],
    [
      'minified code',
      '!function(e,t){"use strict";var n=e.token||t.secret,r=n?n.key:"password";return o(n,r,"abc","def")}(this,window);'.repeat(
        50,
      ),
    ],
    ['a look-up in the environment', 'const token = process.env.GITHUB_TOKEN_FOR_RELEASES_2024'],
    ['a quoted template', "api_key: '${{ secrets.PRODUCTION_API_KEY_2 }}'"],
    ['a shell variable', 'export API_TOKEN=$PRODUCTION_API_TOKEN_2024'],
    ['angle brackets', 'password: "<your-super-long-password-1234>"'],
    ['a word that stands in', "const secret = 'changeme-changeme-changeme-1'"],
    ['rows of one letter', `token = "${'x'.repeat(40)}" ; ghp_${'x'.repeat(36)}`],
    ['a test value', "token: 'test-token-1a2b3c4d5e6f7g8h9i'"],
    ['a count', 'const tokenCount = "a1b2c3d4e5f6a7b8c9d0"'],
    ['a hash of a password', `password_hash = "${madeUp('', 40, HEX)}"`],
    ['words in a setting', 'secret: "projects-my-service-production-v2-token"'],
    ['an address of a token', "token: 'https://login.internal/oauth2/v2.0/token1a2b3c4d'"],
    ['a call', 'const token = createTokenForUser2(request, response)'],
    ['a variable that ends in _auth', 'proxy_auth = base64.b64encode(proxy_passwd.encode("utf8")).decode()'],
    ['a sentence', 'The password must be 12 characters or more, the token 36.'],
    ['a textbook login', 'https://user:pass@example.com and postgres://postgres:postgres@localhost/db'],
    ['a login from variables', 'https://${USER}:${PASSWORD}@host/ http://$U:$TOKEN@host/'],
    ['an elided private key', ['-----BEGIN', 'PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----'].join(' ')],
    [
      'a public key',
      `${['-----BEGIN', 'PUBLIC KEY-----'].join(' ')}\n${madeUp('', 64)}\n-----END PUBLIC KEY-----`,
    ],
    ['a picture as data', `url(data:image/png;base64,${madeUp('iVBORw0KGgo', 4000)})`],
    ['CSS classes', '.sk-fading-circle-with-a-very-long-name { }'],
    ['one small base64 text', `atob("${base64('hello, this is a quite ordinary sentence')}")`],
    ['nothing', ''],
  ])('takes %s for no secret', async (_title, text) => {
    expect(await kindsIn(text)).toEqual([])
  })

  const [head, tail] = [GITHUB_TOKEN.slice(0, 14), GITHUB_TOKEN.slice(14)]
  const bytes = [...Buffer.from(GITHUB_TOKEN)]
  it.each([
    ['base64', base64(GITHUB_TOKEN)],
    ['base64 in the middle of other text', base64(`a ${GITHUB_TOKEN} b`)],
    ['base64 behind a prefix of the same alphabet', `v2/${base64(GITHUB_TOKEN)}`],
    [
      'base64 over several lines',
      base64(`key: ${GITHUB_TOKEN}${GITHUB_TOKEN}`).replaceAll(/(.{40})/g, '$1\n'),
    ],
    [
      'base64 in two literals',
      `'${base64(GITHUB_TOKEN).slice(0, 20)}' + '${base64(GITHUB_TOKEN).slice(20)}'`,
    ],
    ['hexadecimal', Buffer.from(GITHUB_TOKEN).toString('hex')],
    ['hexadecimal capitals', Buffer.from(GITHUB_TOKEN).toString('hex').toUpperCase()],
    ['percent signs', bytes.map((byte) => `%${byte.toString(16)}`).join('')],
    ['one percent sign', GITHUB_TOKEN.replace('_', '%5F')],
    ['escapes', bytes.map((byte) => String.raw`\x${byte.toString(16)}`).join('')],
    ['unicode escapes', bytes.map((byte) => String.raw`\u00${byte.toString(16)}`).join('')],
    ['character codes', `String.fromCharCode(${bytes.join(', ')})`],
    ['bytes', `[${bytes.map((byte) => `0x${byte.toString(16)}`).join(',')}]`],
    ['reverse', `'${reverse(GITHUB_TOKEN)}'.split('').reverse()`],
    ['two literals', `const t = '${head}' + "${tail}"`],
    ['two literals with a comment between', `f('${head}' + // the rest\n  '${tail}')`],
    ['two literals side by side', `t = ("${head}"\n     "${tail}")`],
    ['a template', `\`${head}\${'${tail}'}\``],
    ['a call of concat', `'${head}'.concat('${tail}')`],
    ['a list', `['${head}', '${tail}'].join('')`],
    ['a list of letters', JSON.stringify([...GITHUB_TOKEN])],
    ['a continued line', `t = "${head}\\\n   ${tail}"`],
    ['two lines', `t: >-\n  ${head}\n  ${tail}\n`],
    ['invisible characters', `${head}\u200B${tail}`],
    ['UTF-16 read as bytes', [...GITHUB_TOKEN].join('\0')],
  ])('finds a token that is written as %s', async (_title, text) => {
    expect(new Set(await kindsIn(text))).toEqual(new Set(['github token']))
  })

  it('says where a secret begins and ends', async () => {
    const scan = await scanText(`first\nsecond = '${GITHUB_TOKEN}'\n`, {})
    expect('found' in scan && uniteHits(scan.found)).toEqual([
      { kind: 'github token', start: 16, end: 56, value: GITHUB_TOKEN },
    ])
  })

  it('is not silenced by comments in the text', async () => {
    expect(await kindsIn(`// secretlint-disable\n${GITHUB_TOKEN} // secretlint-disable-line`)).toEqual([
      'github token',
    ])
  })

  it('finds an assigned secret that is put together', async () => {
    expect(await kindsIn(`password = "${random.slice(0, 16)}" + "${random.slice(16)}"`)).toEqual([
      'assigned secret',
    ])
  })
})
