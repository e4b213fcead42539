import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { parse, YAMLParseError } from 'yaml'
import { pathSeenFrom, type FoundLine, type InnerSource } from './script-line.ts'

/** Settings by their names. */
type Settings = readonly (readonly [name: string, value: string])[]

interface SettingsFile {
  readonly file: string
  /** What decides which program runs a script, and what that loads first; other settings may hold keys, and are not shown. */
  readonly settings: (text: string) => Settings
}

const linesLike =
  (pattern: RegExp) =>
  (text: string): Settings =>
    [...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value.trim()] as const)

const npmrc =
  /^[ \t]*["']?((?:global-?)?pnpmfile|script-shell|node-options|shell|git|userconfig|globalconfig)["']?[ \t]*=[ \t]*(.*)$/gm
const bunfig = /^[ \t]*"?(preload|shell|bun|plugins)"?[ \t]*=[ \t]*(\[[^\]]*\]|.*)$/gm

const files: readonly SettingsFile[] = [
  { file: '.npmrc', settings: linesLike(npmrc) },
  { file: '.yarnrc', settings: linesLike(/^[ \t]*"?(yarn-path|script-shell)"?[ \t:]+(.*)$/gm) },
  { file: '.yarnrc.yml', settings: namedIn(['yarnPath', 'plugins', 'injectEnvironmentFiles']) },
  {
    file: 'pnpm-workspace.yaml',
    settings: namedIn('pnpmfile globalPnpmfile scriptShell nodeOptions configDependencies'.split(' ')),
  },
  { file: 'bunfig.toml', settings: linesLike(bunfig) },
]

/** Code that a package manager loads by its name alone. */
const loaded = ['.pnpmfile.cjs', '.pnpmfile.mjs']

/** The settings of package managers in a folder and those around it, as far as they decide what runs. */
export async function managerSettings(folder: string, source: InnerSource): Promise<readonly FoundLine[]> {
  const own = await Promise.all([
    ...files.map(async ({ file: name, settings }) => {
      const file = pathSeenFrom(folder, name)
      const text = await source.read(file)
      return settings(text ?? '').map(([setting, line]) => ({ file, folder, name: setting, line }))
    }),
    ...loaded.map(async (name) => {
      const file = pathSeenFrom(folder, name)
      const digest = await source.digest(file)
      return digest === null ? [] : [{ file, folder, name: 'content', line: `sha256 ${digest}` }]
    }),
  ])
  const isTop = folder === '.' || /^(\/|\.\.(\/|$))/.test(folder)
  return [...own.flat(), ...(isTop ? [] : await managerSettings(posix.dirname(folder), source))]
}

function namedIn(names: readonly string[]): SettingsFile['settings'] {
  return (text) => {
    try {
      const written = parse(text, { logLevel: 'error', maxAliasCount: 100 }) as Readonly<
        Record<string, unknown>
      > | null
      return names.flatMap((name) =>
        written?.[name] === undefined ? [] : [[name, JSON.stringify(written[name])] as const],
      )
    } catch (error) {
      // Its reader would not take it either; that reading ends with too many aliases is a ReferenceError.
      if (error instanceof YAMLParseError || error instanceof ReferenceError)
        return [['unreadable', `sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`]]
      throw error
    }
  }
}
