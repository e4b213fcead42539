import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { settingsIn } from '../../model/config/setting.ts'
import { settingFlags, settings } from '../../model/config/settings.ts'
import { composeConfig } from './compose-config.ts'
import { configurationPage } from './reference.ts'
import { variableOf } from './overrides.ts'

/** Adds one line to the tree of settings, as somebody would who adds a setting, and asks everything that shows settings. */
const program = `
  import { registerHooks } from 'node:module'
  const line = "    brand_new: setting(count(1), { meaning: 'Only the tree knows it.', otherwise: 7, flag: '--brand-new' }),"
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith('/model/config/settings.ts')) return loaded
      return { ...loaded, source: String(loaded.source).replace('  fix: {\\n', (found) => found + line + '\\n') }
    },
  })
  const { composeConfig } = await import('./src/app/config/compose-config.ts')
  const { flagOverrides } = await import('./src/app/config/overrides.ts')
  const { configJsonSchema, configurationPage } = await import('./src/app/config/reference.ts')
  const { listSettings } = await import('./src/app/config/sources.ts')
  const compose = (text, more = {}) =>
    composeConfig({ repository: { name: 'fixpoint.yaml', text }, user: null, env: {}, flags: [], ...more })
  const messageOf = (run) => { try { run() } catch (error) { return error.message } }
  const { config, sources } = compose('', { env: { FIXPOINT_FIX_BRAND_NEW: '9' } })
  console.log(JSON.stringify({
    byDefault: compose('').config.fix.brand_new,
    byFile: compose('fix: { brand_new: 8 }').config.fix.brand_new,
    byVariable: config.fix.brand_new,
    byFlag: compose('', { flags: flagOverrides({ brandNew: '10' }) }).config.fix.brand_new,
    shown: listSettings(config, sources).find(({ key }) => key === 'fix.brand_new'),
    wrong: messageOf(() => compose('fix: { brand_new: no }')),
    misspelt: messageOf(() => compose('fix: { brand_knew: 8 }')),
    row: configurationPage().split('\\n').find((row) => row.includes('brand_new')),
    schema: configJsonSchema().properties.fix.properties.brand_new,
  }))`

test('a setting that only the tree knows is read, checked, explained, documented and overridable everywhere', () => {
  const root = new URL('../../../', import.meta.url)
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root })
  expect(JSON.parse(said.toString())).toEqual({
    byDefault: 7,
    byFile: 8,
    byVariable: 9,
    byFlag: 10,
    shown: { key: 'fix.brand_new', value: 9, source: 'env', where: 'FIXPOINT_FIX_BRAND_NEW' },
    wrong: 'fixpoint.yaml:1:19  fix.brand_new: expected a whole number, found "no"',
    misspelt: 'fixpoint.yaml:1:8  fix.brand_knew: unknown key; did you mean fix.brand_new?',
    row: '| `fix.brand_new` | number | `7` | Only the tree knows it. |',
    schema: {
      description: 'Only the tree knows it.',
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
    },
  })
})

test('every setting is on the page of the reference and among the sources that config prints', () => {
  const page = configurationPage()
  const { sources } = composeConfig({ repository: null, user: null, env: {}, flags: [] })
  for (const { path } of settingsIn(settings).filter((one) => one.path[0] !== 'agents')) {
    const key = path.join('.')
    expect(page).toContain(`| \`${key}\` |`)
    expect([...sources.keys()]).toContain(key)
    expect(variableOf(path)).toMatch(/^FIXPOINT_[A-Z_]+$/)
  }
})

test('no two settings have the same flag', () => {
  const flags = settingFlags.map(({ flag }) => flag)
  expect(new Set(flags).size).toBe(flags.length)
})
