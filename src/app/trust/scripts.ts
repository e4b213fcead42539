import { posix } from 'node:path'
import { makeLines } from './makefile.ts'
import { managerSettings } from './manager-settings.ts'
import {
  outside,
  pathSeenFrom,
  type FoundLine,
  type InnerSource,
  type ScriptLine,
  type ScriptSource,
} from './script-line.ts'
import { simpleCalls } from './simple-calls.ts'
import { runnerFiles, type RunnerCall } from './task-runners.ts'

/**
 * The script lines that a command resolves to, over any number of steps: scripts of packages with `pre` and `post`,
 * targets of make. Of a command that may do more than a check in the jail, the files that its lines name count too.
 */
export async function scriptLines(
  command: string,
  source: ScriptSource,
  { withFiles = false } = {},
): Promise<readonly ScriptLine[]> {
  const found = new Map<string, ScriptLine>()
  const passedOver = new Map<string, string>()
  const inner = insideOf(source, (file, why) => passedOver.set(file, why))
  const waiting: Call[] = [{ command, folder: '.' }]
  for (let call = waiting.shift(); call; call = waiting.shift()) {
    const lines = [...(await linesOf(call, inner)), ...(withFiles ? await filesNamed(call, inner) : [])]
    for (const { folder, runs, ...line } of lines) {
      const key = `${line.file}\0${line.name}\0${line.line}`
      if (found.has(key)) continue
      found.set(key, line)
      waiting.push({ command: runs ?? line.line, folder })
    }
  }
  const notFollowed = [...passedOver].map(([file, line]) => ({ file, name: 'not followed', line }))
  return [...found.values(), ...notFollowed]
}

/** Takes note of what a command would read outside of the repository, and does not read it. */
function insideOf(source: ScriptSource, passOver: InnerSource['passOver']): InnerSource {
  const noted = async <T>(path: string, look: ScriptLook<T>): Promise<T | null> => {
    const found = isOut(path) ? outside : await look(path)
    if (found !== outside) return found
    passOver(path, 'it is outside of the repository')
    return null
  }
  return {
    ...source,
    passOver,
    read: (path) => noted(path, source.read),
    list: async (folder) => (await noted(folder, source.list)) ?? [],
  }
}

type ScriptLook<T> = (path: string) => Promise<T | typeof outside>

const isOut = (path: string): boolean => /^(\/|\.\.(\/|$))/.test(path)

/** What node adds to the name of a file that it cannot find. */
const endings = ['', '.js', '.json', '/index.js']

/** The files of the repository that the words of a line name, such as a script that it starts, by what they hold. */
async function filesNamed({ command, folder }: Call, source: InnerSource): Promise<readonly FoundLine[]> {
  const words = new Set(command.split(/[\s"'`=,;|&<>()[\]{}]+/).filter((word) => /\w/.test(word)))
  const found: FoundLine[] = []
  // A command may go into a folder before it names a file there.
  const folders = new Set([
    folder,
    ...[...command.matchAll(/\bcd\s+([^\s;&|"']+)/g)].map(([, to = '']) => pathSeenFrom(folder, to)),
  ])
  for (const from of folders)
    for (const word of words)
      for (const ending of endings) {
        const file = pathSeenFrom(from, `${word}${ending}`)
        const digest = isOut(file) ? null : await source.digest(file)
        if (digest !== null) found.push({ file, folder, name: 'content', line: `sha256 ${digest}` })
      }
  return found
}

interface Call {
  readonly command: string
  readonly folder: string
}

async function linesOf({ command, folder }: Call, source: InnerSource): Promise<readonly FoundLine[]> {
  const found: FoundLine[] = []
  for (const { words, folder: at } of simpleCalls(command, folder, source)) {
    // Other programs start one in their turn (`timeout 60 npm test`), so it may stand anywhere.
    for (const [index, word] of words.entries()) {
      const program = withoutEnding(posix.basename(word))
      const rest = { program, words: words.slice(index + 1), folder: at }
      if (/^g?make$/.test(program)) found.push(...(await makeLines(rest, source)))
      else if (index === 0 || starters.test(program))
        found.push(...(await packageLines(words.slice(index), at, source)))
      found.push(...(await runnerLines(rest, source)))
    }
  }
  return found
}

/** The files of a task runner, and the scripts that it would run in any package. */
async function runnerLines(call: RunnerCall, source: InnerSource): Promise<readonly FoundLine[]> {
  const { lines, scripts } = await runnerFiles(call, source)
  if (scripts.length === 0) return lines
  const files = await everyPackage(source)
  const found = await Promise.all(files.map((file) => linesIn(file, scripts, source)))
  return [...lines, ...found.flat()]
}

const everyPackage = (source: InnerSource): Promise<readonly string[]> => source.everywhere(['package.json'])

const managers = /^(npm|pnpm|yarn|bun)$/
const runners = /^(run-s|run-p|npm-run-all2?)$/
const starters = /^(npm|pnpm|yarn|bun|node|run-s|run-p|npm-run-all2?)$/
const withoutEnding = (program: string): string => program.replace(/(\.cmd|\.exe)?(@.*)?$/, '')
const runWords = new Set(['run', 'run-script', 'rum', 'urn'])
const installWords = new Set(['install', 'i', 'ci', 'clean-install', 'ic', 'add', 'rebuild'])
const lifecycle = ['install', 'prepublish', 'prepare', 'dependencies']
const shortForTest = new Set(['t', 'tst'])
const everywhere = /^(-w|-ws|-r|-F|--workspaces?|--recursive|--filter|workspaces?|foreach|-A|--all)(=|$)/
const folderOption = /^(--prefix|-C|--dir|--cwd)(=(.*))?$/

/** The scripts that a package manager, or node itself, would run for these words. */
async function packageLines(
  words: readonly string[],
  folder: string,
  source: InnerSource,
): Promise<readonly FoundLine[]> {
  const called = scriptNames(words)
  if (called.length === 0) return []
  const option = words.findIndex((word) => folderOption.test(word))
  const named =
    option === -1 ? null : (folderOption.exec(words[option] ?? '')?.[3] ?? words[option + 1] ?? null)
  const isEverywhere = words.some((word) => everywhere.test(word))
  const files = isEverywhere
    ? await everyPackage(source)
    : [pathSeenFrom(named === null ? folder : pathSeenFrom(folder, named), 'package.json')]
  const found = await Promise.all(files.map((file) => linesIn(file, called, source)))
  return found.flat()
}

/** The names of scripts that these words call; with stars where a runner takes patterns. */
function scriptNames(words: readonly string[]): readonly string[] {
  const program = withoutEnding(posix.basename(words[0] ?? ''))
  const rest = words.slice(1)
  const marked = words.flatMap((word) => /^(?:npm|pnpm|yarn|bun|node):(.+)$/.exec(word)?.[1] ?? [])
  if (program === 'node')
    return rest.flatMap((word, index) =>
      word === '--run' ? (rest[index + 1] ?? []) : (/^--run=(.+)/.exec(word)?.[1] ?? []),
    )
  if (runners.test(program)) return rest.filter((word) => !word.startsWith('-'))
  if (!managers.test(program)) return marked
  const plain = rest
    .slice(0, rest.includes('--') ? rest.indexOf('--') : undefined)
    .filter((word) => !word.startsWith('-'))
  if (program === 'yarn' && plain.length === 0) return lifecycle
  // Options may take a word of their own, so every word may be the name of a script.
  return plain.flatMap((word) => {
    if (installWords.has(word)) return [...lifecycle, word]
    return runWords.has(word) ? [] : [shortForTest.has(word) ? 'test' : word]
  })
}

/** The named scripts of one package, each with what runs before and after it. */
async function linesIn(
  file: string,
  names: readonly string[],
  source: InnerSource,
): Promise<readonly FoundLine[]> {
  const scripts = parseScripts(await source.read(file))
  const folder = posix.dirname(file)
  const patterns = names.map((name) => starPattern(name))
  const lines = Object.entries(scripts)
    .filter(([script]) => {
      const around = script.replace(/^(pre|post)/, '')
      return patterns.some((pattern) => pattern.test(script) || pattern.test(around))
    })
    .map(([name, line]) => ({ file, name, line, folder }))
  return [...lines, ...(await managerSettings(folder, source))]
}

const starPattern = (name: string): RegExp =>
  new RegExp(`^${name.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/\*+/g, '.*')}$`)

function parseScripts(text: string | null): Readonly<Record<string, string>> {
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { readonly scripts?: unknown }
    if (typeof scripts !== 'object' || scripts === null) return {}
    return Object.fromEntries(
      Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  } catch (error) {
    // What is no JSON holds no script that a package manager would run.
    if (error instanceof SyntaxError || error instanceof TypeError) return {}
    throw error
  }
}
