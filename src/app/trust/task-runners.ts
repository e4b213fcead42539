import { posix } from 'node:path'
import { pathSeenFrom, type FoundLine, type InnerSource } from './script-line.ts'

/** A program that runs tasks which a file of the repository describes. */
interface TaskRunner {
  readonly programs: RegExp
  /** The files that it reads by their names alone, in its folder and in those around it. */
  readonly files: readonly string[]
  /** It reads such files in every folder, and runs scripts of packages under the names of its tasks. */
  readonly isEverywhere?: true
  /** Other files that such a file names. */
  readonly includes?: RegExp
}

const python = ['pyproject.toml', 'setup.cfg']
const justfiles = ['justfile', 'Justfile', '.justfile']
const taskfiles = ['yml', 'yaml', 'dist.yml', 'dist.yaml'].flatMap((end) => [
  `Taskfile.${end}`,
  `taskfile.${end}`,
])
const scriptEndings = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts']
const named = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => scriptEndings.map((end) => `${name}.${end}`))

const taskRunners: readonly TaskRunner[] = [
  { programs: /^composer$/, files: ['composer.json'] },
  { programs: /^deno$/, files: ['deno.json', 'deno.jsonc'], isEverywhere: true },
  {
    programs: /^just$/,
    files: justfiles,
    includes: /^[ \t]*(?:import|mod)\??[ \t]+(?:[\w-]+[ \t]+)?["']?([^"'\s#]+)/gm,
  },
  { programs: /^(go-)?task$/, files: taskfiles, includes: /(?:taskfile|[\w-]+):[ \t]*["']?([./][^"'\s#]*)/g },
  { programs: /^tox$/, files: [...python, 'tox.ini', 'tox.toml'] },
  { programs: /^nox$/, files: ['noxfile.py'] },
  {
    programs: /^(hatch|pdm|poetry|uv|poe|poethepoet|taskipy)$/,
    files: [...python, 'hatch.toml', 'poe_tasks.toml'],
  },
  { programs: /^pipenv$/, files: ['Pipfile'] },
  { programs: /^(inv|invoke)$/, files: ['tasks.py', 'invoke.yaml'] },
  { programs: /^rake$/, files: ['Rakefile', 'rakefile', 'Rakefile.rb', 'rakefile.rb'] },
  { programs: /^(cargo(-make)?|makers)$/, files: ['Makefile.toml', '.cargo/config.toml', '.cargo/config'] },
  { programs: /^turbo$/, files: ['turbo.json', 'turbo.jsonc'], isEverywhere: true },
  { programs: /^nx$/, files: ['nx.json', 'project.json', 'workspace.json'], isEverywhere: true },
  { programs: /^lerna(-lite)?$/, files: ['lerna.json'], isEverywhere: true },
  { programs: /^(lage|wsrun)$/, files: named('lage.config'), isEverywhere: true },
  { programs: /^wireit$/, files: ['package.json'], isEverywhere: true },
  { programs: /^nps$/, files: named('package-scripts') },
  { programs: /^gulp$/, files: named('gulpfile', 'gulpfile.babel', 'Gulpfile') },
  { programs: /^grunt$/, files: named('Gruntfile', 'gruntfile') },
  { programs: /^(mise|rtx)$/, files: ['mise.toml', '.mise.toml', 'mise.local.toml'] },
  { programs: /^pre-commit$/, files: ['.pre-commit-config.yaml'] },
]

/** What a file that another one includes may be called further. */
const endings = ['', '.just', '/mod.just', ...[...justfiles, ...taskfiles].map((name) => `/${name}`)]

/** A call of a program, which may be such a one. */
export interface RunnerCall {
  /** The name of the program, without its folder. */
  readonly program: string
  /** What stands after it; a word may name a folder or a file. */
  readonly words: readonly string[]
  readonly folder: string
}

/** The files that a task runner would read, and the scripts of packages that its tasks may be. */
interface RunnerFiles {
  /** By what they hold: there are many languages of tasks, and a task may use any other line of its file. */
  readonly lines: readonly FoundLine[]
  /** Names that may be those of scripts in any package. */
  readonly scripts: readonly string[]
}

/** What the command would run by the files of a task runner; nothing when it calls none. */
export async function runnerFiles(
  { program, words, folder }: RunnerCall,
  source: InnerSource,
): Promise<RunnerFiles> {
  const runner = taskRunners.find(({ programs }) => programs.test(program))
  if (!runner) return { lines: [], scripts: [] }
  const given = optionValues(words).map((word) => pathSeenFrom(folder, word))
  const waiting = new Set([
    ...[...foldersFrom(folder), ...given].flatMap((place) =>
      runner.files.map((name) => pathSeenFrom(place, name)),
    ),
    ...given,
    ...(runner.isEverywhere ? await source.everywhere(runner.files) : []),
  ])
  const lines: FoundLine[] = []
  for (const file of waiting) {
    const text = await source.read(file)
    if (text === null) continue
    const own = posix.dirname(file)
    const line = `sha256 ${await source.digest(file)}`
    lines.push({ file, folder: own, name: 'content', line, runs: text })
    for (const [, name = ''] of runner.includes ? text.matchAll(runner.includes) : [])
      for (const ending of endings) waiting.add(pathSeenFrom(own, `${name}${ending}`))
  }
  if (!runner.isEverywhere) return { lines, scripts: [] }
  const written = lines.flatMap(({ runs = '' }) => runs.match(/(?<=")[^"\n]{1,200}(?=")/g) ?? [])
  const names = [...words, ...written].flatMap((word) => word.split(/[\s,:=#^]+/))
  return { lines, scripts: [...new Set(names)].filter((name) => /^\w/.test(name)) }
}

/** What stands behind options, in the same word or the next: it may be the folder or the file to use. */
const optionValues = (words: readonly string[]): readonly string[] =>
  words.flatMap((word, index) => {
    const [, joined = ''] = /^(?:--?[\w-]+=|-[A-Za-z])(.+)$/.exec(word) ?? []
    const isBehind = words[index - 1]?.startsWith('-') && !word.startsWith('-')
    return [joined, isBehind ? word : ''].filter((value) => value !== '')
  })

/** A folder, and those around it inside of the repository. */
function foldersFrom(folder: string): readonly string[] {
  const isTop = folder === '.' || /^(\/|\.\.(\/|$))/.test(folder)
  return isTop ? [folder] : [folder, ...foldersFrom(posix.dirname(folder))]
}
