import { inFolder, type Checkout } from './checkout.ts'
import {
  nothingFound,
  type Found,
  type Guess,
  type GuessedCommand,
  type PackageManager,
} from './detection.ts'
import { isIgnored } from './ignored.ts'
import {
  detectPackageManager,
  readPackage,
  type FoundManager,
  type ManagerFlavour,
  type PackageJson,
} from './package-json.ts'

const wanted: readonly (readonly [string, readonly string[]])[] = [
  ['test', ['test']],
  ['typecheck', ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc']],
  ['lint', ['lint', 'lint:check']],
  ['build', ['build']],
]

/** Commands, dependencies and how to get them, for the package in one folder. */
export async function detectJavaScript(
  checkout: Checkout,
  folder: string,
  packages: readonly string[],
): Promise<Found> {
  const manifest = await readPackage(checkout, folder)
  const path = inFolder(folder, 'package.json')
  if (manifest === 'broken')
    return { ...nothingFound, notes: [`${path} cannot be read as JSON and was left out`] }
  if (!manifest) return folder === '' ? withNodeTest(nothingFound, checkout) : nothingFound
  const manager = await detectPackageManager(checkout, folder, manifest)
  const { commands, notes } = scriptCommands(manifest, manager.value, path)
  const found = {
    ...nothingFound,
    commands,
    notes,
    ...(await dependencies(checkout, folder, manifest, manager, packages)),
  }
  if (commands.some((command) => command.name === 'test')) return found
  const spread = await workspaceTest(checkout, packages, manager.flavour)
  return spread ? { ...found, commands: [spread, ...commands] } : withNodeTest(found, checkout, folder)
}

function scriptCommands(
  manifest: PackageJson,
  manager: PackageManager,
  path: string,
): Pick<Found, 'commands' | 'notes'> {
  const commands: GuessedCommand[] = []
  const notes: string[] = []
  for (const [name, scripts] of wanted) {
    const script = scripts.find((one) => manifest.scripts[one] !== undefined)
    const line = manifest.scripts[script ?? '']?.trim()
    if (script === undefined || !line || /no test specified/.test(line)) continue
    const unfit = unfitReason(line)
    if (unfit) notes.push(`script "${script}" of ${path} was left out: it ${unfit}`)
    else
      commands.push({
        name,
        run: runScript(manager, script, line),
        paths: [],
        why: `script "${script}" of ${path}: ${line}`,
      })
  }
  return { commands, notes }
}

/** A check must end by itself and must not change what it checks. */
function unfitReason(line: string): string | null {
  if (/(^|\s)--watch(All)?(?!=false)(\s|=|$)|\bnodemon\b/.test(line)) return 'keeps running (watch)'
  if (/(^|\s)(--fix|--write)(\s|=|$)/.test(line)) return 'changes files (--fix or --write)'
  return null
}

function runScript(manager: PackageManager, script: string, line: string): string {
  // `bun test` would be bun's own runner, not the script.
  const base = script === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${script}`
  return /\breact-scripts test\b/.test(line) ? `CI=true ${base}` : base
}

const testInAll: Readonly<Record<ManagerFlavour, string>> = {
  npm: 'npm test --workspaces --if-present',
  pnpm: 'pnpm -r test',
  yarn: 'yarn workspaces run test',
  'yarn-modern': 'yarn workspaces foreach --all run test',
  bun: "bun run --filter '*' test",
}

/** The root has no tests of its own, its packages have. */
async function workspaceTest(
  checkout: Checkout,
  packages: readonly string[],
  manager: ManagerFlavour,
): Promise<GuessedCommand | null> {
  for (const folder of packages) {
    const manifest = await readPackage(checkout, folder)
    const line = manifest && manifest !== 'broken' ? manifest.scripts['test'] : undefined
    if (line && !/no test specified/.test(line) && !unfitReason(line))
      return {
        name: 'test',
        run: testInAll[manager],
        paths: [],
        why: `script "test" of ${folder}/package.json and its neighbours`,
      }
  }
  return null
}

/** Test files for Node's own runner need no script. */
async function withNodeTest(found: Found, checkout: Checkout, folder = ''): Promise<Found> {
  const prefix = folder === '' ? '' : `${folder}/`
  const candidates = checkout.files
    .filter((file) => file.startsWith(prefix) && /[.-]test\.[cm]?[jt]s$/.test(file))
    .slice(0, 20)
  for (const file of candidates) {
    const text = await checkout.read(file)
    if (!text || !/['"]node:test['"]/.test(text)) continue
    const command = { name: 'test', run: 'node --test', paths: [], why: `${file} uses node:test` }
    return { ...found, commands: [command, ...found.commands] }
  }
  return found
}

const installs: Readonly<Record<ManagerFlavour, readonly [locked: string, free: string]>> = {
  npm: ['npm ci', 'npm install'],
  pnpm: ['pnpm install --frozen-lockfile', 'pnpm install'],
  yarn: ['yarn install --frozen-lockfile', 'yarn install'],
  'yarn-modern': ['yarn install --immutable', 'yarn install'],
  bun: ['bun install --frozen-lockfile', 'bun install'],
}

/** Installed dependencies are shared; where there are none yet, they are installed. */
async function dependencies(
  checkout: Checkout,
  folder: string,
  manifest: PackageJson,
  manager: FoundManager,
  packages: readonly string[],
): Promise<Pick<Found, 'share' | 'setup'>> {
  const count = Object.keys(manifest.dependencies).length + Object.keys(manifest.devDependencies).length
  if (count === 0 && packages.length === 0) return { share: [], setup: null }
  const share: Guess<string>[] = []
  for (const owner of [folder, ...packages]) {
    const path = inFolder(owner, 'node_modules')
    if ((await checkout.hasFolder(path)) && (await isIgnored(checkout, owner, 'node_modules')))
      share.push({ value: path, why: 'installed here and ignored by git' })
  }
  if (share.length > 0) return { share, setup: null }
  const [locked, free] = installs[manager.flavour]
  return {
    share,
    setup: {
      value: manager.isLocked ? locked : free,
      why: `${manager.why}, and node_modules is not here to share`,
    },
  }
}
