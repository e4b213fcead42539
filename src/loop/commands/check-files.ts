import type { TreeId } from '../../model/id.ts'
import { pathKind } from '../../model/path-kind.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import type { Trees } from '../ports.ts'
import { joinPath, readCalls, type CommandCall, type Line } from './read-calls.ts'
import { readTexts } from '../read-code.ts'

/** Programs of the base that verification commands run: a patch that changes one decides what green means. */
export async function findCheckFiles(
  commands: readonly Pick<CheckCommand, 'run'>[],
  tree: TreeId,
  trees: Pick<Trees, 'readMany' | 'list'>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const read = new Set<string>()
  let lines: readonly Line[] = commands.map(({ run }) => ({ run, folder: '' }))
  for (let depth = 0; depth < deepestScript && lines.length > 0; depth += 1) {
    const fresh = lines.filter((line) => !read.has(keyOf(line)))
    fresh.forEach((line) => read.add(keyOf(line)))
    const calls = fresh.flatMap(readCalls)
    const packages = calls.some(({ isEverywhere }) => isEverywhere) ? await manifestsOf(tree, trees) : []
    const wanted = calls.flatMap((call) => [...call.files, ...rulesOf(call), ...manifestsFor(call, packages)])
    const texts = await readTexts(trees, tree, [...new Set(wanted)])
    calls.flatMap(({ files }) => files.filter((file) => texts.has(file))).forEach((file) => found.add(file))
    lines = calls.flatMap((call) => linesOf(call, texts, packages))
  }
  return new Set([...found].filter(isJudge))
}

/** Scripts that call scripts, and so on. */
const deepestScript = 6

/** Tests have a gate of their own, which knows a new one from a weakened one. */
const isJudge = (path: string): boolean => !['test', 'snapshot'].includes(pathKind(path))

const keyOf = ({ folder, run }: Line): string => `${folder}\0${run}`

const manifestsOf = async (tree: TreeId, trees: Pick<Trees, 'list'>): Promise<readonly string[]> =>
  [...(await trees.list(tree))].filter((path) => /(?:^|\/)package\.json$/.test(path))

function manifestsFor(
  { scripts, folder, isEverywhere }: CommandCall,
  packages: readonly string[],
): readonly string[] {
  if (scripts.length === 0) return []
  return isEverywhere ? packages : [joinPath(folder, 'package.json')]
}

const rulesOf = ({ isMake, folder }: CommandCall): readonly string[] =>
  isMake ? ['GNUmakefile', 'makefile', 'Makefile'].map((name) => joinPath(folder, name)) : []

/** The lines that a call leads to: its own, those of shell scripts, rules of make, and scripts of packages. */
function linesOf(
  call: CommandCall,
  texts: ReadonlyMap<string, string>,
  packages: readonly string[],
): readonly Line[] {
  const { folder } = call
  const here = (run: string): Line => ({ run, folder })
  const ofShell = call.files.flatMap((file) =>
    isShell(file, texts.get(file)) ? [texts.get(file) ?? ''] : [],
  )
  const ofMake = rulesOf(call).flatMap((file) => recipesOf(texts.get(file) ?? ''))
  const ofPackages = manifestsFor(call, packages).flatMap((manifest) =>
    scriptsOf(texts.get(manifest), call.scripts).map((run) => ({ run, folder: joinPath(manifest, '..') })),
  )
  return [...[...call.lines, ...ofShell, ...ofMake].map(here), ...ofPackages]
}

const isShell = (file: string, text: string | undefined): boolean =>
  text !== undefined && (/\.(?:ba|z|da|k)?sh$/.test(file) || /^#!.*\b(?:ba|z|da|k)?sh\b/.test(text))

/** All recipes count; which targets are made is not worked out. */
const recipesOf = (rules: string): readonly string[] =>
  rules
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => (line.startsWith('\t') ? [line.trim().replace(/^[@+-]+/, '')] : []))

function scriptsOf(manifest: string | undefined, names: readonly string[]): readonly string[] {
  const written = parseScripts(manifest)
  return Object.entries(written).flatMap(([name, run]) =>
    typeof run === 'string' && names.some((each) => isNamed(name, each)) ? [run] : [],
  )
}

const isNamed = (name: string, wanted: string): boolean => {
  const [start = '', ...rest] = wanted.split('*')
  return rest.length === 0 ? name === wanted : name.startsWith(start)
}

/** The scripts of a package.json, as they are written. */
export function parseScripts(manifest: string | undefined): Readonly<Record<string, unknown>> {
  if (manifest === undefined) return {}
  try {
    const { scripts } = JSON.parse(manifest) as { readonly scripts?: Readonly<Record<string, unknown>> }
    return scripts ?? {}
  } catch {
    // No package manager could read it either.
    return {}
  }
}
