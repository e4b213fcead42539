import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadConfig } from '../config/load-config.ts'
import { requireForeignSafe, whyNotForeign } from './foreign-code.ts'

const folder = mkdtempSync(join(tmpdir(), 'fixpoint-foreign-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'with-login/.claude'), { recursive: true })
writeFileSync(join(folder, 'with-login/.claude/.credentials.json'), '{}')

const safe =
  'verify: { commands: [{ name: test, run: node --test }] }\nagents: { fixer: rules, challenger: rules, planner: rules, clarifier: rules, reproducer: rules }\n'
const withFixer = (fixer: string) => safe.replace('fixer: rules', `fixer: ${fixer}`)

interface Given {
  readonly env?: Readonly<Record<string, string>>
  readonly isThere?: boolean
}
async function machine(repositoryText: string, { env = {}, isThere = true }: Given = {}) {
  const all = { HOME: join(folder, 'nobody'), PATH: '', ...env }
  const loaded = await loadConfig({ repositoryRoot: folder, env: all, flags: [], agents: [], repositoryText })
  return { env: all, loaded, jail: async () => ({ state: { isThere, text: 'no jail: none', remedy: null } }) }
}

const key = { ANTHROPIC_API_KEY: 'sk-ant-not-a-key' }

it.each<[string, string, Given, RegExp | null]>([
  ['everything stays in the jail', safe, {}, null],
  ['there is no jail', safe, { isThere: false }, /no jail/],
  [
    'a check reaches the network',
    safe.replace('--test', '--test, network: true'),
    {},
    /test .* reaches the network/,
  ],
  ['a check runs outside', safe.replace('--test', '--test, jail: false'), {}, /test runs outside/],
  [
    'a scanner reaches the network',
    `${safe}review: { scanners: [{ name: scan, run: scan, format: sarif, network: true }] }\n`,
    {},
    /scan/,
  ],
  ['there is a setup', `${safe}workspace: { setup: npm ci }\n`, {}, /workspace\.setup/],
  ['packages are shared', `${safe}workspace: { share: [node_modules] }\n`, {}, null],
  ['something else is shared', `${safe}workspace: { share: [.env] }\n`, {}, /gives it \.env/],
  ['the key of an agent stays outside', withFixer('claude'), { env: key }, null],
  ['an agent has no key', withFixer('claude'), {}, /has no key/],
  [
    'an agent logs in with a file',
    withFixer('claude'),
    { env: { ...key, HOME: join(folder, 'with-login') } },
    /logs in with a file/,
  ],
  ['a fallback has no key', withFixer('{ use: rules, fallback: [claude] }'), {}, /claude has no key/],
  [
    'an agent gets a variable',
    withFixer('{ use: command, run: my-agent, env: [MY_KEY] }'),
    {},
    /gets the variables MY_KEY/,
  ],
  ['a program starts a CLI', withFixer("{ use: command, run: 'sh -c claude' }"), {}, /has no key/],
  ['a program starts none', withFixer('{ use: command, run: my-agent }'), {}, null],
])('a stranger’s code is judged rightly when %s', async (_, text, given, why) => {
  const found = await whyNotForeign(await machine(text, given))
  if (why === null) expect(found).toBeNull()
  else expect(found).toMatch(why)
})

it('a session on a stranger’s code is not driven where that is not safe, and every other one is', async () => {
  const unsafe = await machine(safe, { isThere: false })
  const of = (foreign?: string) =>
    ({ session: { options: { ...(foreign !== undefined && { foreign }) } } }) as never
  await expect(requireForeignSafe(unsafe, of('eve/sample'))).rejects.toThrow(
    /eve\/sample is not run here: no jail/,
  )
  await expect(requireForeignSafe(unsafe, of())).resolves.toBeUndefined()
  await expect(requireForeignSafe(await machine(safe), of('eve/sample'))).resolves.toBeUndefined()
})
