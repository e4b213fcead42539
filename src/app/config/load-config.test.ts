import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig, userConfigPath, type ConfigRequest } from './load-config.ts'
import { listSettings } from './sources.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fixpoint-config-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

const write = (text: string | Uint8Array, name = 'fixpoint.yaml'): Promise<void> =>
  writeFile(join(root, name), text)
const load = (more: Partial<ConfigRequest> = {}) =>
  loadConfig({ repositoryRoot: root, env: {}, userConfigFile: null, ...more })
const refusal = async (more: Partial<ConfigRequest> = {}): Promise<string> =>
  load(more).then(
    () => 'loaded',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )

test('a repository without a file has the defaults and nothing to trust', async () => {
  const { config, repositoryFile, commands, repositoryRules, notices } = await load()
  expect(config.fix.max_rounds).toBe(3)
  expect({ repositoryFile, commands, repositoryRules, notices }).toEqual({
    repositoryFile: null,
    commands: [],
    repositoryRules: [],
    notices: [],
  })
})

test('outside of a repository only the person is asked', async () => {
  await write('fix: { max_rounds: 7 }', 'config.yaml')
  const { config } = await load({ repositoryRoot: null, userConfigFile: join(root, 'config.yaml') })
  expect(config.fix.max_rounds).toBe(7)
})

test("the user's file is found by the environment", () => {
  expect(userConfigPath({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe('/x/fixpoint/config.yaml')
  expect(userConfigPath({ XDG_CONFIG_HOME: 'relative', HOME: '/h' })).toBe('/h/.config/fixpoint/config.yaml')
  expect(userConfigPath({})).toBeNull()
})

test("the user's file is named with its path", async () => {
  const file = join(root, 'config.yaml')
  await write('sandbox: no', 'config.yaml')
  expect(await refusal({ userConfigFile: file })).toBe(
    `${file}:1:10  sandbox: expected off, auto or required, found "no"`,
  )
})

describe('a file that cannot be read is a problem, not a default', () => {
  test('a folder', async () => {
    await mkdir(join(root, 'fixpoint.yaml'))
    expect(await refusal()).toBe('fixpoint.yaml  is a folder, expected a file')
  })
  test('a device', async () => {
    await symlink('/dev/zero', join(root, 'fixpoint.yaml'))
    expect(await refusal()).toBe('fixpoint.yaml  is a special file, expected a file')
  })
  test('a link that leads back to itself', async () => {
    await symlink('fixpoint.yaml', join(root, 'fixpoint.yaml'))
    expect(await refusal()).toBe('fixpoint.yaml  cannot be read (ELOOP)')
  })
  test('bytes that are not UTF-8', async () => {
    await write(Uint8Array.of(0x61, 0xff, 0xfe))
    expect(await refusal()).toBe('fixpoint.yaml  is not UTF-8 text')
  })
  test('more than 1 MB', async () => {
    await write(`# ${'x'.repeat(1_000_000)}`)
    expect(await refusal()).toBe('fixpoint.yaml  is larger than 1 MB')
  })
  test('the other ending, alone or beside the right one', async () => {
    await write('fix: {}', 'fixpoint.yml')
    expect(await refusal()).toBe('fixpoint.yml  is not read; rename it to fixpoint.yaml')
    await write('fix: { max_round: 1 }')
    expect(await refusal()).toBe(
      'fixpoint.yml  is not read; rename it to fixpoint.yaml\nfixpoint.yaml:1:8  fix.max_round: unknown key; did you mean fix.max_rounds?',
    )
  })
})

test('a byte order mark is no obstacle', async () => {
  await write('\uFEFFfix: { max_rounds: 1 }')
  expect((await load()).config.fix.max_rounds).toBe(1)
})

test('settings are listed as a person would write them', async () => {
  await write('agents: { fixer: { use: command, run: x, timeout: 90s } }\nartifacts: { retention: 36h }\n')
  const { config, sources } = await load()
  const settings = new Map(listSettings(config, sources).map((setting) => [setting.key, setting]))
  expect(settings.get('agents.fixer')).toEqual({
    key: 'agents.fixer',
    value: { name: 'command', use: 'command', run: 'x', timeout: '1m30s' },
    source: 'repository',
    where: 'fixpoint.yaml:1:11',
  })
  expect(settings.get('artifacts.retention')?.value).toBe('1d12h')
  expect(settings.get('fix.budget_usd')).toEqual({
    key: 'fix.budget_usd',
    value: null,
    source: 'default',
    where: null,
  })
})

describe('trust', () => {
  const text = `verify: { commands: [{ name: t, run: npm test }] }
workspace: { setup: npm ci }
review: { scanners: [{ name: s, run: eslint }] }
agents: { fixer: mine, mine: { use: command, run: node a.mjs }, challenger: { use: replay, run: recorded } }
`
  test('covers every command of the repository and no other', async () => {
    await write(text)
    const { commands } = await load({ env: { FIXPOINT_AGENTS_CHALLENGER: '{ use: command, run: mine }' } })
    expect(commands).toEqual([
      { key: 'agents.mine', run: 'node a.mjs' },
      { key: 'review.scanners', run: 'eslint' },
      { key: 'verify.commands', run: 'npm test' },
      { key: 'workspace.setup', run: 'npm ci' },
    ])
  })
})
