import { findAgents } from './agents-on-path.ts'
import { lookAtCheckout, type Checkout } from './checkout.ts'
import { detectClasses } from './classes.ts'
import { nothingFound, type Detection, type Found, type GuessedCommand } from './detection.ts'
import { detectJavaScript } from './javascript.ts'
import { detectLanguages } from './languages.ts'
import { detectMakefile, detectOtherToolchains } from './other-toolchains.ts'
import { detectPackageManager, detectWorkspaces, readPackage } from './package-json.ts'
import { detectPython } from './python.ts'

/** Reads what a checkout's files say about how it is built and tested. Nothing is run. */
export async function detectProject(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Detection> {
  const checkout = await lookAtCheckout(root)
  const manifest = await readPackage(checkout, '')
  const hasPackage = manifest !== null && manifest !== 'broken'
  const workspaces = hasPackage ? await detectWorkspaces(checkout, manifest) : []
  const packages = workspaces.map((workspace) => workspace.value)
  const found = await findAll(checkout, packages)
  const manager = hasPackage ? await detectPackageManager(checkout, '', manifest) : null
  return {
    languages: detectLanguages(checkout),
    packageManager: manager && { value: manager.value, why: manager.why },
    workspaces,
    ...found,
    classes: await detectClasses(checkout, packages),
    agents: findAgents(env['PATH']),
  }
}

/** The root first; folders below it only when the root is no project itself. */
async function findAll(checkout: Checkout, packages: readonly string[]): Promise<Found> {
  const root = combine(await findIn(checkout, '', packages))
  if (root.commands.length > 0 || root.setup || root.share.length > 0) return root
  const below: Found[] = [root]
  for (const folder of topFolders(checkout))
    below.push(within(folder, combine(await findIn(checkout, folder, []))))
  const all = combine(below)
  return all.commands.length > 0 ? all : combine([all, await detectMakefile(checkout)])
}

const findIn = async (
  checkout: Checkout,
  folder: string,
  packages: readonly string[],
): Promise<readonly Found[]> => [
  await detectJavaScript(checkout, folder, packages),
  await detectPython(checkout, folder),
  await detectOtherToolchains(checkout, folder),
]

const manifests =
  /^([^/]+)\/(package\.json|pyproject\.toml|setup\.cfg|setup\.py|requirements\.txt|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(\.kts)?)$/

const topFolders = (checkout: Checkout): readonly string[] => [
  ...new Set(checkout.files.flatMap((file) => manifests.exec(file)?.[1] ?? [])),
]

/** A command of a folder runs there, for patches that touch it. */
function within(folder: string, found: Found): Found {
  const enter = (run: string): string => `cd ${quote(folder)} && ${run}`
  return {
    ...found,
    commands: found.commands.map((command) => ({
      ...command,
      name: `${folder}-${command.name}`,
      run: enter(command.run),
      paths: [`${folder}/**`],
    })),
    setup: found.setup && { ...found.setup, value: enter(found.setup.value) },
  }
}

const quote = (word: string): string =>
  /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** One after another; a second command of the same name is told apart by a number. */
function combine(parts: readonly Found[]): Found {
  const taken = new Map<string, number>()
  const rename = (command: GuessedCommand): GuessedCommand => {
    const count = (taken.get(command.name) ?? 0) + 1
    taken.set(command.name, count)
    return count === 1 ? command : { ...command, name: `${command.name}-${count}` }
  }
  const setups = parts.flatMap((part) => part.setup ?? [])
  return {
    ...nothingFound,
    commands: parts.flatMap((part) => part.commands).map(rename),
    share: parts.flatMap((part) => part.share),
    notes: parts.flatMap((part) => part.notes),
    setup:
      setups.length < 2
        ? (setups[0] ?? null)
        : {
            value: setups.map((setup) => `(${setup.value})`).join(' && '),
            why: setups.map((setup) => setup.why).join('; '),
          },
  }
}
