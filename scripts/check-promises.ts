/** Fails when a promise is not kept: a setting that nobody reads, an event that nobody sends, a name that only tests use. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsIn } from '../src/model/config/setting.ts'
import { settingFlags, settings } from '../src/model/config/settings.ts'
import { EventType } from '../src/model/session/event.ts'
import { findUnkept, findUnusedExports } from './check-promises-scan.ts'

const root = join(import.meta.dirname, '..')
const read = (patterns: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    globSync([...patterns], {
      cwd: root,
      exclude: ['**/*.test.{ts,tsx}', '**/node_modules/**', '**/dist/**'],
    })
      .map((file) => file.replaceAll('\\', '/'))
      .toSorted()
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  )

const unkept = [
  ...findUnkept(read(['src/**/*.ts']), {
    settings: settingsIn(settings)
      .filter(({ path: [section] }) => section !== 'agents')
      .map(({ path, setting }) => ('unit' in setting ? [...path.slice(0, -1), `${path.at(-1)}_ms`] : path)),
    events: EventType.options,
    flags: settingFlags.map(({ flag }) => flag),
  }),
  ...findUnusedExports(
    read(['src/**/*.{ts,tsx}']),
    read(['web/src/**/*.{ts,tsx}', 'scripts/*.ts', 'bench/**/*.ts']),
  ),
]

console.log([...unkept, `promises: ${unkept.length} not kept`].join('\n'))
process.exitCode = unkept.length > 0 ? 1 : 0
