import { inFolder, type CheckoutFiles, isIgnored } from '../../evidence/checkout.ts'
import {
  guessCommand,
  nothingFound,
  type Detect,
  type Toolchain,
  type DetectedTools,
  type Guess,
  type GuessedCommand,
} from '../../evidence/detection.ts'
import { detectPackages, spreadCommand } from './monorepo.ts'
import { toolCommands, scriptCommands } from './commands.ts'
import {
  readPackage,
  type PackageJson,
  detectPackageManager,
  installCommand,
  type FoundManager,
} from './manifest.ts'

const order = ['test', 'typecheck', 'lint', 'build']

/** Commands, dependencies and how to get them, for the package or the monorepo in one folder. */
const detectJavaScript: Detect = async (checkout, folder) => {
  const manifest = await readPackage(checkout, folder)
  const path = inFolder(folder, 'package.json')
  if (manifest === 'broken')
    return { ...nothingFound, notes: [`${path} cannot be read as JSON and was left out`] }
  if (!manifest) return { ...nothingFound, commands: folder === '' ? await nodeTest(checkout, '') : [] }
  const manager = await detectPackageManager(checkout, folder, manifest)
  const packages = await detectPackages(checkout, folder, manifest)
  const folders = packages.map(({ value }) => value)
  const { commands: own, notes } = scriptCommands(
    { manifest, manager: manager.value, flavour: manager.flavour },
    path,
  )
  const spread: GuessedCommand[] = []
  for (const name of ['test', 'typecheck', 'lint'].filter(
    (one) => !own.some((command) => command.name === one),
  )) {
    const command = await spreadCommand(checkout, { folder, packages: folders, manager }, name)
    if (command) spread.push(command)
  }
  const given = [...own, ...spread]
  const tools = await toolCommands(checkout, folder, { manifest, flavour: manager.flavour, given })
  const known = [...given, ...tools]
  const tests = known.some(({ name }) => name === 'test') ? [] : await nodeTest(checkout, folder)
  return {
    commands: [...known, ...tests].toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)),
    notes: [...manager.notes, ...notes],
    packages,
    ...(await dependencies(checkout, { manifest, manager, owners: [folder, ...folders] })),
  }
}

/** Test files for Node's own runner need no script. */
async function nodeTest(checkout: CheckoutFiles, folder: string): Promise<readonly GuessedCommand[]> {
  const prefix = folder === '' ? '' : `${folder}/`
  const candidates = checkout.files
    .filter((file) => file.startsWith(prefix) && /[.-]test\.[cm]?[jt]s$/.test(file))
    .slice(0, 20)
  for (const file of candidates) {
    const text = await checkout.read(file)
    if (text && /['"]node:test['"]/.test(text))
      return [guessCommand('test', 'node --test', `${file} uses node:test`)]
  }
  return []
}

/** Installed dependencies are shared; where there are none yet, they are installed. */
async function dependencies(
  checkout: CheckoutFiles,
  {
    manifest,
    manager,
    owners,
  }: { readonly manifest: PackageJson; readonly manager: FoundManager; readonly owners: readonly string[] },
): Promise<Pick<DetectedTools, 'share' | 'setup'>> {
  const count = Object.keys(manifest.dependencies).length + Object.keys(manifest.devDependencies).length
  if (count === 0 && owners.length === 1) return { share: [], setup: null }
  const share: Guess<string>[] = []
  for (const owner of owners) {
    const path = inFolder(owner, 'node_modules')
    if ((await checkout.hasFolder(path)) && (await isIgnored(checkout, owner, 'node_modules')))
      share.push({ value: path, why: 'installed here and ignored by git' })
  }
  if (share.length > 0) return { share, setup: null }
  const [locked, free] = installCommand[manager.flavour]
  return {
    share,
    setup: {
      value: manager.isLocked ? locked : free,
      why: `${manager.why}, and node_modules is not here to share`,
    },
  }
}

export const javascript: Toolchain = {
  name: 'javascript',
  manifest: /^package\.json$/,
  lock: /^(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/,
  detect: detectJavaScript,
}
