import { describe, expect, it } from 'vitest'
import { base64, GITHUB_TOKEN, HEX, madeUp, PRIVATE_KEY } from './made-up-secrets.ts'
import { findByRules, loadPresetRules } from './preset.ts'
import { redactor, redactSecrets } from './redact-secrets.ts'

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

describe('redactor', () => {
  const password = `hunter${madeUp('', 6, '23456789')}`

  it.each([
    [`const password = "${password}"`, 'const password = "[redacted: password]"'],
    [`+  db_password: '${password}',`, "+  db_password: '[redacted: password]',"],
    [JSON.stringify(`password = "${password}"`), String.raw`"password = \"[redacted: password]\""`],
    [`DB_PASSWORD=${password} npm test`, 'DB_PASSWORD=[redacted: password] npm test'],
    [`deploy --password=${password}`, 'deploy --password=[redacted: password]'],
  ])('redacts a password that a person chose: %j', async (text, expected) => {
    expect(redactor.value(text)).toBe(expected)
    expect(await redactor.text(text)).toBe(expected)
    expect(redactor.value(expected)).toBe(expected)
  })

  it.each([
    'password = getPassword()',
    'password = other1password',
    "password: 'changeme-1'",
    'const PASSWORD_FIELD = "user_password"',
    'errors.password = "required"',
    '<input name="password" type="password" minlength="12">',
    "password = os.environ['DB_PASSWORD_1']",
    'password: "${DB_PASSWORD_1}"',
    'if (password == "") throw new Error("no password1")',
  ])('leaves ordinary code as it is: %s', async (text) => {
    expect(redactor.value(text)).toBe(text)
    expect(await redactor.text(text)).toBe(text)
  })

  it('redacts every text inside a value, names of members too, and gives back what it need not change', () => {
    const fine = { deep: [{ text: 'nothing here' }], id: GITHUB_TOKEN.slice(4), at: null, count: 2 }
    expect(redactor.value(fine)).toBe(fine)
    const value = { list: ['a', { [GITHUB_TOKEN]: [`x ${GITHUB_TOKEN}`] }], same: fine }
    const redacted = redactor.value(value)
    expect(redacted).toEqual({
      list: ['a', { '[redacted: github token]': ['x [redacted: github token]'] }],
      same: fine,
    })
    expect(redacted.same).toBe(fine)
    expect(redactor.value(redacted)).toBe(redacted)
  })

  it('takes what passed under one name for a secret under another', () => {
    const text = madeUp('', 32)
    const marked = { note: text, deep: [{ api_key: '[redacted: assigned secret]' }, { note: text }] }
    expect(redactor.value({ note: text, deep: [{ api_key: text }, { note: text }] })).toEqual(marked)
    expect(redactor.value({ note: text, deep: [{ api_key: text }, { note: text }] })).toEqual(marked)
  })

  it('lets only what looks like an id, a hash or a time pass under their names', () => {
    const made = {
      id: `iss_${madeUp('', 32, HEX)}`,
      tree: madeUp('', 40, HEX),
      conversation_id: '0199a7c4-5d6e-7f80-9a1b-2c3d4e5f6071',
      created_at: '2026-11-19T23:47:02.000Z',
    }
    expect(redactor.value(made)).toBe(made)
    const told = { id: GITHUB_TOKEN, tree: GITHUB_TOKEN, task_ids: [GITHUB_TOKEN], created_at: GITHUB_TOKEN }
    const mark = '[redacted: github token]'
    expect(redactor.value(told)).toEqual({ id: mark, tree: mark, task_ids: [mark], created_at: mark })
  })

  it('takes what a person chose under the name of a password for one, like in a text', () => {
    const chosen = { db_password: password, nested: [{ PASSWORD: 'hunter22' }], password: 'required' }
    const mark = '[redacted: password]'
    expect(redactor.value(chosen)).toEqual({
      db_password: mark,
      nested: [{ PASSWORD: mark }],
      password: 'required',
    })
  })

  it('takes random text under the name of a secret for one', () => {
    expect(redactor.value({ api_key: madeUp('', 32) })).toEqual({ api_key: '[redacted: assigned secret]' })
  })

  /** The preset is loaded only where one can wait for it: rows and events rely on our own table. */
  it.each([
    ['aws', `aws_secret_access_key = "${madeUp('', 40)}"`],
    ['npm', madeUp('npm_', 36)],
    ['slack', `https://hooks.slack.com/services/${madeUp('T', 9)}/${madeUp('B', 9)}/${madeUp('', 24)}`],
    ['sendgrid', `${madeUp('SG.', 22)}.${madeUp('', 43)}`],
    ['shopify', madeUp('shpat_', 32)],
    ['stripe', madeUp('rk_test_', 24)],
    ['github', madeUp('github_pat_', 82)],
    ['gitlab', madeUp('glpat-', 20)],
    ['grafana', `${madeUp('glsa_', 32)}_${madeUp('', 8, HEX)}`],
    ['openai', `${madeUp('sk-proj-', 74)}T3BlbkFJ${madeUp('', 74)}`],
    ['anthropic', `${madeUp('sk-ant-api03-', 93)}AA`],
    ['groq', madeUp('gsk_', 52)],
    ['huggingface', madeUp('hf_', 34, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')],
    ['linear', madeUp('lin_api_', 40)],
    ['notion', `${madeUp('ntn_', 11, '0123456789')}${madeUp('', 35)}`],
    ['hashicorp-vault', madeUp('hvs.', 95)],
    ['vercel', madeUp('vcp_', 24)],
    ['databricks', madeUp('dapi', 32, HEX)],
    ['docker', madeUp('dckr_pat_', 27)],
    ['figma', madeUp('figd_', 40)],
    ['cloudflare', `${madeUp('cfut_', 40)}${madeUp('', 8, HEX)}`],
    ['tailscale', `tskey-auth-${madeUp('', 12)}-${madeUp('', 32)}`],
  ])('knows what the rule %s of the preset knows', async (name, text) => {
    const rule = (await loadPresetRules()).find(({ meta }) => meta.id.endsWith(`rule-${name}`))
    const [hit] = rule ? findByRules([rule], text) : []
    expect(hit).toBeDefined()
    expect(redactor.value(text)).not.toContain(hit?.value)
  })
})
