import { z } from 'zod'
import { inFolder, type CheckoutFiles } from '../../evidence/checkout.ts'
import type { Guess, PackageManager } from '../../evidence/detection.ts'

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
export async function readPackage(checkout: CheckoutFiles, folder: string): Promise<ReadPackage> {
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

/** A script of a package; stubs that only say that there is nothing count as absent. */
export function scriptOf(manifest: ReadPackage, name: string): string | null {
  const line = manifest && manifest !== 'broken' ? manifest.scripts[name]?.trim() : undefined
  return line && !/no test specified/.test(line) ? line : null
}

export const dependsOn = ({ dependencies, devDependencies }: PackageJson, name: string): boolean =>
  name in dependencies || name in devDependencies

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
  /** What is odd about it. */
  readonly notes: readonly string[]
}

/** By the package's own word, else by the lock file, else npm. */
export async function detectPackageManager(
  checkout: CheckoutFiles,
  folder: string,
  manifest: PackageJson,
): Promise<FoundManager> {
  const said = /^(npm|pnpm|yarn|bun)@(\d+)/.exec(manifest.packageManager ?? '')
  const locks: { readonly path: string; readonly manager: PackageManager }[] = []
  for (const [name, manager] of lockFiles) {
    const path = inFolder(folder, name)
    if (await checkout.hasFile(path)) locks.push({ path, manager })
  }
  const lock = locks.find(({ manager }) => !said || manager === said[1])
  const value = (said?.[1] as PackageManager | undefined) ?? lock?.manager ?? 'npm'
  const isModern = (await checkout.hasFile(inFolder(folder, '.yarnrc.yml'))) || Number(said?.[2] ?? 1) > 1
  const others = locks.filter(({ manager }) => manager !== value).map(({ path }) => path)
  return {
    value,
    why: lock?.path ?? (said ? 'packageManager in package.json' : 'package.json without a lock file'),
    flavour: value === 'yarn' && isModern ? 'yarn-modern' : value,
    isLocked: lock !== undefined,
    notes: others.length > 0 ? [`${others.join(', ')} is there too, and was taken for a leftover`] : [],
  }
}

/** How a program of the installed packages is started; nothing is fetched for it. */
export const startProgram: Readonly<Record<ManagerFlavour, string>> = {
  npm: 'npx --no-install',
  pnpm: 'pnpm exec',
  yarn: 'yarn run',
  'yarn-modern': 'yarn run',
  bun: 'bun run',
}

export const installCommand: Readonly<Record<ManagerFlavour, readonly [locked: string, free: string]>> = {
  npm: ['npm ci', 'npm install'],
  pnpm: ['pnpm install --frozen-lockfile', 'pnpm install'],
  yarn: ['yarn install --frozen-lockfile', 'yarn install'],
  'yarn-modern': ['yarn install --immutable', 'yarn install'],
  bun: ['bun install --frozen-lockfile', 'bun install'],
}
