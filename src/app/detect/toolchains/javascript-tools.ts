import { inFolder, pathFrom, type Checkout } from '../checkout.ts'
import { guessCommand, type GuessedCommand } from '../detection.ts'
import { dependsOn, type PackageJson } from './package-json.ts'
import { startProgram, type ManagerFlavour } from './package-manager.ts'

interface Tool {
  readonly kind: 'test' | 'typecheck' | 'lint'
  readonly dependency: string
  readonly run: string
  /** A file that shows that it is set up here. */
  readonly file: RegExp
}

const testFile = /[.-](test|spec)\.[cm]?[jt]sx?$|(^|\/)__tests__\//
const eslintConfig = /^(eslint\.config\.[cm]?[jt]s|\.eslintrc(\.(c?js|json|ya?ml))?)$/

const tools: readonly Tool[] = [
  { kind: 'test', dependency: 'vitest', run: 'vitest run', file: testFile },
  { kind: 'test', dependency: 'jest', run: 'jest', file: testFile },
  { kind: 'test', dependency: 'mocha', run: 'mocha', file: /^test\/.*\.[cm]?[jt]s$/ },
  { kind: 'typecheck', dependency: 'typescript', run: 'tsc --noEmit', file: /^tsconfig\.json$/ },
  { kind: 'lint', dependency: 'eslint', run: 'eslint .', file: eslintConfig },
  { kind: 'lint', dependency: '@biomejs/biome', run: 'biome lint .', file: /^biome\.jsonc?$/ },
  { kind: 'lint', dependency: 'oxlint', run: 'oxlint', file: /^\.oxlintrc\.json$/ },
]
const hidden = [
  '.eslintrc',
  '.eslintrc.js',
  '.eslintrc.cjs',
  '.eslintrc.json',
  '.eslintrc.yml',
  '.eslintrc.yaml',
]

/** What is set up in a package without a script for it; `given` are the checks that are known already. */
export async function toolCommands(
  checkout: Checkout,
  folder: string,
  manifest: PackageJson,
  { flavour, given }: { readonly flavour: ManagerFlavour; readonly given: readonly GuessedCommand[] },
): Promise<readonly GuessedCommand[]> {
  const found: GuessedCommand[] = []
  const files = await filesOf(checkout, folder)
  for (const { kind, dependency, run, file } of tools) {
    if (!dependsOn(manifest, dependency) || [...given, ...found].some(({ name }) => name === kind)) continue
    const seen = files.find((path) => file.test(path))
    if (seen === undefined) continue
    if (kind === 'typecheck' && !(await isWholeProject(checkout, folder, given))) continue
    const why = `${dependency} in ${inFolder(folder, 'package.json')}, ${inFolder(folder, seen)}, and no script for it`
    found.push(guessCommand(kind, `${startProgram[flavour]} ${run}`, why))
  }
  return found
}

async function filesOf(checkout: Checkout, folder: string): Promise<readonly string[]> {
  const files = checkout.files.flatMap((file) => pathFrom(folder, file) ?? [])
  for (const name of [...hidden, '.oxlintrc.json'])
    if (await checkout.hasFile(inFolder(folder, name))) files.push(name)
  return files
}

/** A project of references checks nothing by itself, and a build may be the type check already. */
async function isWholeProject(
  checkout: Checkout,
  folder: string,
  given: readonly GuessedCommand[],
): Promise<boolean> {
  if (given.some(({ why }) => /\btsc\b/.test(why))) return false
  return !/"references"\s*:/.test((await checkout.read(inFolder(folder, 'tsconfig.json'))) ?? '')
}
