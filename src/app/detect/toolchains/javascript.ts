import { inFolder, type Checkout } from '../checkout.ts'
import {
  guessCommand,
  nothingFound,
  type Detect,
  type Found,
  type Guess,
  type GuessedCommand,
} from '../detection.ts'
import { isIgnored } from '../ignored.ts'
import { detectPackages, spreadCommand } from './javascript-packages.ts'
import { toolCommands } from './javascript-tools.ts'
import { readPackage, type PackageJson } from './package-json.ts'
import { detectPackageManager, installCommand, type FoundManager } from './package-manager.ts'
import { scriptCommands } from './scripts.ts'

const order = ['test', 'typecheck', 'lint', 'build']

/** Commands, dependencies and how to get them, for the package or the monorepo in one folder. */
export const detectJavaScript: Detect = async (checkout, folder) => {
  const manifest = await readPackage(checkout, folder)
  const path = inFolder(folder, 'package.json')
  if (manifest === 'broken')
    return { ...nothingFound, notes: [`${path} cannot be read as JSON and was left out`] }
  if (!manifest) return { ...nothingFound, commands: folder === '' ? await nodeTest(checkout, '') : [] }
  const manager = await detectPackageManager(checkout, folder, manifest)
  const packages = await detectPackages(checkout, folder, manifest)
  const folders = packages.map(({ value }) => value)
  const { commands: own, notes } = scriptCommands(manifest, manager.value, path)
  const spread: GuessedCommand[] = []
  for (const name of ['test', 'typecheck', 'lint'].filter(
    (one) => !own.some((command) => command.name === one),
  )) {
    const command = await spreadCommand(checkout, { folder, packages: folders, manager }, name)
    if (command) spread.push(command)
  }
  const given = [...own, ...spread]
  const tools = await toolCommands(checkout, folder, manifest, { flavour: manager.flavour, given })
  const known = [...given, ...tools]
  const tests = known.some(({ name }) => name === 'test') ? [] : await nodeTest(checkout, folder)
  return {
    commands: [...known, ...tests].toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)),
    notes: [...manager.notes, ...notes],
    packages,
    ...(await dependencies(checkout, manifest, manager, [folder, ...folders])),
  }
}

/** Test files for Node's own runner need no script. */
async function nodeTest(checkout: Checkout, folder: string): Promise<readonly GuessedCommand[]> {
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
  checkout: Checkout,
  manifest: PackageJson,
  manager: FoundManager,
  owners: readonly string[],
): Promise<Pick<Found, 'share' | 'setup'>> {
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
