import { nameLanguage } from '../../model/programming-language.ts'
import { readCheckout, type CheckoutFiles } from './evidence/checkout.ts'
import {
  nothingFound,
  shellWord,
  type Detection,
  type Guess,
  type DetectedTools,
  type Toolchain,
  type GuessedCommand,
} from './evidence/detection.ts'
import { offerScanners } from './own-linters.ts'
import { projectsBelow, toolchains, type ProjectBelow } from './toolchains/index.ts'
import { javascript } from './toolchains/javascript/index.ts'
import { readPackage, detectPackageManager } from './toolchains/javascript/manifest.ts'
import { detectMake } from './toolchains/make.ts'

const maxBelow = 12

/** Reads what a checkout's files say about how it is built and tested. Nothing is run. */
export async function detectProject(root: string): Promise<Detection> {
  const checkout = await readCheckout(root)
  const { below, packages, ...found } = await findAll(checkout)
  const folders = [...packages.map(({ value }) => value), ...below.map(({ folder }) => folder)]
  const manager = await packageManager(checkout, below)
  return {
    languages: detectLanguages(checkout),
    packageManager: manager,
    workspaces: packages,
    ...found,
    scanners: offerScanners(found.commands, manager),
    classes: await detectClasses(checkout, folders),
  }
}

/** Reads the root first, then the projects below that its commands do not cover. */
async function findAll(
  checkout: CheckoutFiles,
): Promise<DetectedTools & { readonly below: readonly ProjectBelow[] }> {
  const atRoot: DetectedTools[] = []
  const covered = new Set<Toolchain>()
  for (const toolchain of toolchains) {
    const found = await toolchain.detect(checkout, '')
    atRoot.push(found)
    if (found.commands.length > 0) covered.add(toolchain)
  }
  const root = combine(atRoot)
  const members = root.packages.map(({ value }) => value)
  const all = projectsBelow(checkout, covered, members)
  const below = all.slice(0, maxBelow)
  const parts: DetectedTools[] = [root]
  for (const { folder, toolchain } of below)
    parts.push(within(folder, await toolchain.detect(checkout, folder)))
  const left = all.slice(maxBelow).map(({ folder }) => `${folder} looks like a project too, and was left out`)
  const found = combine([...parts, { ...nothingFound, notes: left }])
  const isEmpty = found.commands.length === 0
  return { ...(isEmpty ? combine([found, await detectMake(checkout, '')]) : found), below }
}

async function packageManager(
  checkout: CheckoutFiles,
  below: readonly ProjectBelow[],
): Promise<Detection['packageManager']> {
  const folders = below.filter(({ toolchain }) => toolchain === javascript).map(({ folder }) => folder)
  for (const folder of ['', ...folders]) {
    const manifest = await readPackage(checkout, folder)
    if (!manifest || manifest === 'broken') continue
    const { value, why } = await detectPackageManager(checkout, folder, manifest)
    return { value, why }
  }
  return null
}

/** A command of a folder runs there, for patches that touch it; without one, nothing needs what the folder would install. */
function within(folder: string, found: DetectedTools): DetectedTools {
  const enter = (run: string): string => `cd ${shellWord(folder)} && ${run}`
  return {
    ...found,
    commands: found.commands.map((command) => ({
      ...command,
      name: `${folder.replaceAll('/', '-')}-${command.name}`,
      run: enter(command.run),
      paths: [`${folder}/**`],
    })),
    setup:
      found.setup && found.commands.length > 0 ? { ...found.setup, value: enter(found.setup.value) } : null,
  }
}

/** The program that a command starts by way of Python or npx. */
const programOf = ({ run }: GuessedCommand): string | null =>
  /(?:python3?\S* -m|npx --no-install) ([a-z]\w*)/.exec(run)?.[1] ?? null

/** Joins what was found, in order; a second command of the same name is called like its program, or gets a number. */
function combine(parts: readonly DetectedTools[]): DetectedTools {
  const taken = new Map<string, number>()
  const rename = (command: GuessedCommand): GuessedCommand => {
    const count = (taken.get(command.name) ?? 0) + 1
    taken.set(command.name, count)
    if (count === 1) return command
    const program = programOf(command)
    const name = program === null || taken.has(program) ? `${command.name}-${count}` : program
    taken.set(name, 1)
    return { ...command, name }
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

/** The languages of a checkout, the most used first. */
function detectLanguages({ files }: Pick<CheckoutFiles, 'files'>): readonly Guess<string>[] {
  const found = new Map<string, string[]>()
  for (const file of files) {
    const language = nameLanguage(file)
    if (language) found.set(language, [...(found.get(language) ?? []), file])
  }
  return [...found]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([value, [first = '', ...more]]) => ({
      value,
      why: more.length === 0 ? first : `${more.length + 1} files such as ${first}`,
    }))
}

const front = /^(@angular\/core|@sveltejs\/kit|next|nuxt|preact|react|react-dom|solid-js|svelte|vue)$/
const back = /^(@hapi\/hapi|@nestjs\/core|express|fastify|hono|koa)$/
const folders = {
  FE: ['frontend', 'front-end', 'web', 'webapp', 'client', 'ui'],
  BE: ['backend', 'back-end', 'server', 'api'],
} as const
/** Files of languages that no browser runs: a folder `web` with them holds a server. */
const serverFile = /\.(py|go|java|kt|rs|rb|php|cs|scala)$/
/** Where servers of other languages keep the scripts of their pages. */
const servedScript = /^((?:.*\/)?(?:src\/main\/resources\/(?:static|public)|static|assets))\/.*\.m?[jt]s$/

/** Globs for folders that their name or dependencies show to be front or back end; file extensions decide the rest later. */
async function detectClasses(
  checkout: CheckoutFiles,
  packages: readonly string[],
): Promise<Detection['classes']> {
  const classes: { readonly BE: Guess<string>[]; readonly FE: Guess<string>[] } = { BE: [], FE: [] }
  const top = new Set(
    checkout.files.filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? ''),
  )
  for (const folder of new Set([...packages, ...top])) {
    const guess = (await byDependencies(checkout, folder)) ?? byName(checkout, folder)
    if (guess) classes[guess.value].push({ value: `${folder}/**`, why: guess.why })
  }
  const handedOut = served(checkout, classes.FE)
  // Back end comes first: a glob around such a folder would hide it, and extensions decide the rest.
  const around = (glob: string): boolean => handedOut.some(({ value }) => value.startsWith(glob.slice(0, -2)))
  return {
    BE: classes.BE.filter(({ value }) => !around(value)),
    FE: [...classes.FE, ...handedOut],
  }
}

async function byDependencies(checkout: CheckoutFiles, folder: string): Promise<Guess<'BE' | 'FE'> | null> {
  const manifest = await readPackage(checkout, folder)
  if (!manifest || manifest === 'broken') return null
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const why = (name: string): string => `${folder}/package.json depends on ${name}`
  const browser = names.find((name) => front.test(name))
  if (browser) return { value: 'FE', why: why(browser) }
  const server = names.find((name) => back.test(name))
  return server ? { value: 'BE', why: why(server) } : null
}

function byName(checkout: CheckoutFiles, folder: string): Guess<'BE' | 'FE'> | null {
  const name = folder.split('/').at(-1) ?? ''
  for (const value of ['FE', 'BE'] as const)
    if ((folders[value] as readonly string[]).includes(name)) {
      const isServed = checkout.files.some((file) => file.startsWith(`${folder}/`) && serverFile.test(file))
      return value === 'FE' && isServed ? null : { value, why: `a folder of the name ${name}` }
    }
  return null
}

/** A script that a server of another language hands out runs in a browser, though no package.json says so. */
function served(checkout: CheckoutFiles, known: readonly Guess<string>[]): readonly Guess<string>[] {
  const servers = checkout.files.filter((file) => serverFile.test(file))
  const others = checkout.files.filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !servedScript.test(file))
  // A server that is itself written in JavaScript says in its package.json what is front end.
  if (servers.length <= others.length) return []
  const isKnown = (path: string): boolean => known.some(({ value }) => path.startsWith(value.slice(0, -2)))
  const found = new Map<string, string>()
  for (const file of checkout.files) {
    const folder = servedScript.exec(file)?.[1]
    if (folder !== undefined && !isKnown(file) && !found.has(folder)) found.set(folder, file)
  }
  return [...found].map(([folder, file]) => ({ value: `${folder}/**`, why: `a server hands out ${file}` }))
}
