import { findAgents } from './agents-on-path.ts'
import { lookAtCheckout, type Checkout } from './checkout.ts'
import { detectClasses } from './classes.ts'
import { nothingFound, type Detect, type Detection, type Found, type GuessedCommand } from './detection.ts'
import { detectLanguages } from './languages.ts'
import { projectsBelow, type Ecosystem, type ProjectBelow } from './projects-below.ts'
import { detectGo } from './toolchains/go.ts'
import { detectJava } from './toolchains/java.ts'
import { detectJavaScript } from './toolchains/javascript.ts'
import { detectMakefile } from './toolchains/makefile.ts'
import { readPackage } from './toolchains/package-json.ts'
import { detectPackageManager } from './toolchains/package-manager.ts'
import { detectPython } from './toolchains/python.ts'
import { detectRust } from './toolchains/rust.ts'

const detectors: Readonly<Record<Ecosystem, Detect>> = {
  javascript: detectJavaScript,
  python: detectPython,
  go: detectGo,
  rust: detectRust,
  java: detectJava,
}
const maxBelow = 12

/** Reads what a checkout's files say about how it is built and tested. Nothing is run. */
export async function detectProject(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Detection> {
  const checkout = await lookAtCheckout(root)
  const { below, packages, ...found } = await findAll(checkout)
  const folders = [...packages.map(({ value }) => value), ...below.map(({ folder }) => folder)]
  return {
    languages: detectLanguages(checkout),
    packageManager: await packageManager(checkout, below),
    workspaces: packages,
    ...found,
    classes: await detectClasses(checkout, folders),
    agents: findAgents(env['PATH']),
  }
}

/** The root first, then what it does not cover. */
async function findAll(checkout: Checkout): Promise<Found & { readonly below: readonly ProjectBelow[] }> {
  const ecosystems = Object.keys(detectors) as Ecosystem[]
  const atRoot: Found[] = []
  const covered = new Set<Ecosystem>()
  for (const ecosystem of ecosystems) {
    const found = await detectors[ecosystem](checkout, '')
    atRoot.push(found)
    if (found.commands.length > 0) covered.add(ecosystem)
  }
  const root = combine(atRoot)
  const members = root.packages.map(({ value }) => value)
  const all = projectsBelow(checkout, covered, members)
  const below = all.slice(0, maxBelow)
  const parts: Found[] = [root]
  for (const { folder, ecosystem } of below)
    parts.push(within(folder, await detectors[ecosystem](checkout, folder)))
  const left = all.slice(maxBelow).map(({ folder }) => `${folder} looks like a project too, and was left out`)
  const found = combine([...parts, { ...nothingFound, notes: left }])
  const isEmpty = found.commands.length === 0
  return { ...(isEmpty ? combine([found, await detectMakefile(checkout, '')]) : found), below }
}

async function packageManager(
  checkout: Checkout,
  below: readonly ProjectBelow[],
): Promise<Detection['packageManager']> {
  const folders = below.filter(({ ecosystem }) => ecosystem === 'javascript').map(({ folder }) => folder)
  for (const folder of ['', ...folders]) {
    const manifest = await readPackage(checkout, folder)
    if (!manifest || manifest === 'broken') continue
    const { value, why } = await detectPackageManager(checkout, folder, manifest)
    return { value, why }
  }
  return null
}

/** A command of a folder runs there, for patches that touch it. */
function within(folder: string, found: Found): Found {
  const enter = (run: string): string => `cd ${quote(folder)} && ${run}`
  return {
    ...found,
    commands: found.commands.map((command) => ({
      ...command,
      name: `${folder.replaceAll('/', '-')}-${command.name}`,
      run: enter(command.run),
      paths: [`${folder}/**`],
    })),
    setup: found.setup && { ...found.setup, value: enter(found.setup.value) },
  }
}

const quote = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

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
    commands: parts.flatMap((part) => part.commands).map(rename),
    share: parts.flatMap((part) => part.share),
    notes: parts.flatMap((part) => part.notes),
    packages: parts.flatMap((part) => part.packages),
    setup:
      setups.length < 2
        ? (setups[0] ?? null)
        : {
            value: setups.map((setup) => `(${setup.value})`).join(' && '),
            why: setups.map((setup) => setup.why).join('; '),
          },
  }
}
