import { z } from 'zod'
import { parse as parseYaml, YAMLParseError } from 'yaml'
import { inFolder, type CheckoutFiles } from '../../evidence/checkout.ts'
import { guessCommand, shellWord, type Guess, type GuessedCommand } from '../../evidence/detection.ts'
import { foldersMatching } from '../../evidence/folder-globs.ts'
import {
  readPackage,
  scriptOf,
  type PackageJson,
  startProgram,
  type FoundManager,
  type ManagerFlavour,
} from './manifest.ts'
import { unfitReason } from './commands.ts'

/** The folders of the packages that package.json, pnpm-workspace.yaml or lerna.json name. */
export async function detectPackages(
  checkout: CheckoutFiles,
  folder: string,
  manifest: PackageJson,
): Promise<readonly Guess<string>[]> {
  const sources = [
    { why: 'workspaces in package.json', globs: manifest.workspaces },
    { why: 'pnpm-workspace.yaml', globs: await readGlobs(checkout, inFolder(folder, 'pnpm-workspace.yaml')) },
    { why: 'lerna.json', globs: await readGlobs(checkout, inFolder(folder, 'lerna.json')) },
  ]
  const found = sources.flatMap(({ why, globs }) =>
    foldersMatching(checkout, folder, { manifest: 'package.json', globs }).map(({ value, glob }) => ({
      value,
      why: `${glob} of ${why}`,
    })),
  )
  return [...new Map(found.toReversed().map((guess) => [guess.value, guess])).values()].toReversed()
}

/** `packages: [...]` of a YAML file, which JSON is too. */
async function readGlobs(checkout: CheckoutFiles, path: string): Promise<readonly string[]> {
  const text = await checkout.read(path)
  if (text === null) return []
  try {
    const value: unknown = parseYaml(text, { maxAliasCount: 10, logLevel: 'silent' })
    const parsed = z.object({ packages: z.array(z.string()) }).safeParse(value)
    return parsed.success ? parsed.data.packages : []
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError || error instanceof RangeError)
      return []
    throw error
  }
}

interface Monorepo {
  readonly folder: string
  readonly packages: readonly string[]
  readonly manager: FoundManager
}

/** A command that runs a script of the packages, which the root does not have: by the monorepo's tool, else by the manager. */
export async function spreadCommand(
  checkout: CheckoutFiles,
  { folder, packages, manager }: Monorepo,
  script: string,
): Promise<GuessedCommand | null> {
  const runner = await runnerOf(checkout, folder, manager.flavour)
  const having: string[] = []
  for (const one of packages) {
    const line = scriptOf(await readPackage(checkout, one), script)
    if (line !== null && unfitReason(line) === null) having.push(one)
  }
  const targets = runner?.readsProjects ? await targetsOf(checkout, script) : []
  const [first, ...others] = [
    ...having.map((one) => `script "${script}" of ${inFolder(one, 'package.json')}`),
    ...targets,
  ]
  if (first === undefined) return null
  const why = others.length === 0 ? first : `${first} and ${others.length} more`
  if (runner) return guessCommand(script, runner.run(script), `${why}; ${runner.why}`)
  return guessCommand(script, runInAll(manager.flavour, script, { having, count: packages.length }), why)
}

interface Runner {
  readonly why: string
  readonly run: (script: string) => string
  /** Whether targets also stand in `project.json` files. */
  readonly readsProjects: boolean
}

async function runnerOf(
  checkout: CheckoutFiles,
  folder: string,
  flavour: ManagerFlavour,
): Promise<Runner | null> {
  const start = startProgram[flavour]
  const has = (file: string): Promise<boolean> => checkout.hasFile(inFolder(folder, file))
  if (await has('turbo.json'))
    return { why: 'turbo.json', run: (script) => `${start} turbo run ${script}`, readsProjects: false }
  if (await has('nx.json'))
    return { why: 'nx.json', run: (script) => `${start} nx run-many -t ${script}`, readsProjects: true }
  return null
}

const Project = z.object({ targets: z.record(z.string(), z.unknown()) })

async function targetsOf(checkout: CheckoutFiles, script: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of checkout.files.filter((file) => /(^|\/)project\.json$/.test(file)).slice(0, 50)) {
    const text = (await checkout.read(path)) ?? ''
    if (hasTarget(text, script)) found.push(`target "${script}" of ${path}`)
  }
  return found
}

function hasTarget(text: string, target: string): boolean {
  try {
    const { data } = Project.safeParse(JSON.parse(text))
    return data !== undefined && target in data.targets
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** Packages without the script are passed over; yarn 1 would fail there, so it is told which have it. */
function runInAll(
  flavour: ManagerFlavour,
  script: string,
  { having, count }: { readonly having: readonly string[]; readonly count: number },
): string {
  if (flavour === 'npm') return `npm run ${script} --workspaces --if-present`
  if (flavour === 'pnpm') return `pnpm -r run ${script}`
  if (flavour === 'yarn-modern') return `yarn workspaces foreach --all run ${script}`
  if (flavour === 'bun') return `bun run --filter '*' ${script}`
  if (having.length === count) return `yarn workspaces run ${script}`
  return having.map((one) => `yarn --cwd ${shellWord(one)} run ${script}`).join(' && ')
}
