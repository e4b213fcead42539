import { z } from 'zod'
import { parse as parseYaml, YAMLParseError } from 'yaml'
import { inFolder, type Checkout } from './checkout.ts'
import type { Guess, PackageManager } from './detection.ts'

const words = z.record(z.string(), z.string()).catch({})

/** What matters of a package.json; parts of another shape count as absent. */
const PackageJson = z.object({
  scripts: words.default({}),
  dependencies: words.default({}),
  devDependencies: words.default({}),
  packageManager: z.string().optional().catch(undefined),
  workspaces: z
    .union([
      z.array(z.string()),
      z.object({ packages: z.array(z.string()) }).transform((value) => value.packages),
    ])
    .catch([])
    .default([]),
})
export type PackageJson = z.infer<typeof PackageJson>

export type ReadPackage = PackageJson | 'broken' | null

/** The package.json of a folder; `broken` when it is there and is not JSON. */
export async function readPackage(checkout: Checkout, folder: string): Promise<ReadPackage> {
  const path = inFolder(folder, 'package.json')
  const text = await checkout.read(path)
  if (text === null) return (await checkout.hasFile(path)) ? 'broken' : null
  try {
    const parsed = PackageJson.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : 'broken'
  } catch (error) {
    if (error instanceof SyntaxError) return 'broken'
    throw error
  }
}

const lockFiles: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
]

/** Yarn since version 2 takes other words than yarn 1. */
export type ManagerFlavour = PackageManager | 'yarn-modern'

export interface FoundManager extends Guess<PackageManager> {
  readonly flavour: ManagerFlavour
  readonly isLocked: boolean
}

/** By the lock file, else by the package's own word, else npm. */
export async function detectPackageManager(
  checkout: Checkout,
  folder: string,
  manifest: PackageJson,
): Promise<FoundManager> {
  const said = /^(npm|pnpm|yarn|bun)@(\d+)/.exec(manifest.packageManager ?? '')
  const isModern = (await checkout.hasFile(inFolder(folder, '.yarnrc.yml'))) || Number(said?.[2] ?? 1) > 1
  const found = (value: PackageManager, why: string, isLocked: boolean): FoundManager => ({
    value,
    why,
    isLocked,
    flavour: value === 'yarn' && isModern ? 'yarn-modern' : value,
  })
  for (const [name, value] of lockFiles) {
    const path = inFolder(folder, name)
    if (await checkout.hasFile(path)) return found(value, path, true)
  }
  if (said) return found(said[1] as PackageManager, 'packageManager in package.json', false)
  return found('npm', 'package.json without a lock file', false)
}

/** The folders of the packages that the root package.json or pnpm-workspace.yaml name. */
export async function detectWorkspaces(
  checkout: Checkout,
  manifest: PackageJson,
): Promise<readonly Guess<string>[]> {
  const pnpm = await readPnpmPackages(checkout)
  const patterns = [
    ...manifest.workspaces.map((value) => ({ value, why: 'workspaces in package.json' })),
    ...pnpm.map((value) => ({ value, why: 'pnpm-workspace.yaml' })),
  ]
  const folders = checkout.files
    .filter((file) => file.endsWith('/package.json'))
    .map((file) => file.slice(0, -13))
  return folders.flatMap((folder) => {
    const pattern = patterns.find(({ value }) => matchesFolder(value, folder))
    return pattern ? [{ value: folder, why: `${pattern.value} of ${pattern.why}` }] : []
  })
}

async function readPnpmPackages(checkout: Checkout): Promise<readonly string[]> {
  const text = await checkout.read('pnpm-workspace.yaml')
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

/** `packages/*` is one level, `packages/**` any; the rest of the glob language is not used for folders. */
function matchesFolder(pattern: string, folder: string): boolean {
  const parts = pattern.replace(/^\.\//, '').replace(/\/$/, '').split('/')
  const names = folder.split('/')
  if (parts.at(-1) === '**')
    return parts.slice(0, -1).every((part, index) => part === '*' || part === names[index])
  return parts.length === names.length && parts.every((part, index) => part === '*' || part === names[index])
}
