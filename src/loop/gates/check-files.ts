import type { TreeId } from '../../model/id.ts'
import { pathKind } from '../../model/path-kind.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import type { Trees } from '../ports.ts'
import { readTexts } from './read-changes.ts'

/** Programs of the base that verification commands run: who changes them decides what green means. */
export async function findCheckFiles(
  commands: readonly Pick<CheckCommand, 'run'>[],
  tree: TreeId,
  trees: Pick<Trees, 'readMany'>,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  let lines: readonly Line[] = commands.map(({ run }) => ({ run, folder: '' }))
  for (let depth = 0; depth < deepestScript && lines.length > 0; depth += 1) {
    const calls = lines.flatMap(readLine)
    calls.forEach(({ files }) => files.forEach((file) => named.add(file)))
    const manifests = [...new Set(calls.filter(({ scripts }) => scripts.length > 0).map(manifestOf))]
    const texts = manifests.length > 0 ? await readTexts(trees, tree, manifests) : new Map<string, string>()
    lines = calls.flatMap((call) => linesOf(call, texts.get(manifestOf(call))))
  }
  const there = await trees.readMany(tree, [...named].filter(isJudge))
  return new Set(there.keys())
}

/** Scripts that call scripts, and so on. */
const deepestScript = 5

/** Tests have a gate of their own, which knows a new one from a weakened one. */
const isJudge = (path: string): boolean => !['test', 'snapshot'].includes(pathKind(path))

interface Line {
  readonly run: string
  readonly folder: string
}

interface Call {
  readonly folder: string
  /** Programs and what they are told to load, relative to the root. */
  readonly files: readonly string[]
  /** Scripts of the folder's package.json. */
  readonly scripts: readonly string[]
}

const interpreters = /^(?:node|bun|deno|tsx|ts-node|(?:ba|z|da|k)?sh|python[\d.]*|ruby|perl|php|pwsh)$/
const loads = /^(?:-r|--require|--import|--loader|--experimental-loader|--config|-c)$/
const onlyReads = /^(?:--check|-n|py_compile|compileall)$/
const packageManagers = /^(?:npm|pnpm|yarn|bun)$/
const prefixes = /^(?:exec|env|time|command|nice|npx|\w+=.*)$/

/** What each command of a shell line starts, followed through `cd`. */
function readLine({ run, folder }: Line): readonly Call[] {
  let at = folder
  return run.split(/&&|\|\||[;|&\n()]/).map((part) => {
    const words = wordsOf(part)
    if (words[0] === 'cd' && words[1] !== undefined) at = joined(at, words[1])
    return callOf(words, at)
  })
}

function wordsOf(part: string): readonly string[] {
  const words = [...part.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
  const first = words.findIndex((word) => !prefixes.test(word))
  return first < 0 ? [] : words.slice(first)
}

function callOf(words: readonly string[], folder: string): Call {
  const [program = '', ...rest] = words
  const loaded = words.flatMap((word, at) => {
    const [flag = '', value] = word.split('=')
    return loads.test(flag) ? [value ?? words[at + 1] ?? ''] : []
  })
  // A file whose syntax is looked at is judged, and judges nothing.
  const isJudged = rest.some((word) => onlyReads.test(word))
  const script =
    interpreters.test(program) && !isJudged ? rest.find((word) => !word.startsWith('-')) : undefined
  const files = [program, script ?? '', ...loaded].filter((word) => /[/.]/.test(word))
  return {
    folder,
    files: files.map((file) => joined(folder, file)),
    scripts: packageManagers.test(program) ? scriptNames(rest) : [],
  }
}

function scriptNames(words: readonly string[]): readonly string[] {
  const [name, next] = words.filter((word) => !word.startsWith('-'))
  const script = name === 'run' || name === 'run-script' ? next : name === 't' ? 'test' : name
  return script === undefined ? [] : [`pre${script}`, script, `post${script}`]
}

const manifestOf = ({ folder }: Pick<Call, 'folder'>): string => joined(folder, 'package.json')

function linesOf({ folder, scripts }: Call, manifest: string | undefined): readonly Line[] {
  if (manifest === undefined) return []
  try {
    const { scripts: written } = JSON.parse(manifest) as {
      readonly scripts?: Readonly<Record<string, unknown>>
    }
    return scripts.flatMap((name) => {
      const run = written?.[name]
      return typeof run === 'string' ? [{ run, folder }] : []
    })
  } catch {
    // No package manager could read it either.
    return []
  }
}

/** A path from the root; one that leaves it names nothing of the tree. */
function joined(folder: string, path: string): string {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
