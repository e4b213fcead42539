/**
 * Makes package-lock.json fit for every machine. Run it after every change of the lock; it takes the folder of another lock as its argument.
 *
 * - It adds the platform packages that npm left out because the registry it asked does not hold them all: without them
 *   `npm ci` refuses the lock.
 * - It removes the version of Node that each dependency wants. npm compares that with the Node it runs on itself, but a checkout runs
 *   its dependencies on the Node that it installs, so the warnings of `npm ci` would be false.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockEntry {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly link?: boolean
  readonly engines?: unknown
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Packages = Record<string, LockEntry>

const OS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const CPU = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

const path = join(import.meta.dirname, '..', process.argv[2] ?? '.', 'package-lock.json')
const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Packages }
const missing = findMissing(lock.packages)
for (const found of missing) lock.packages[found.place] = describePackage(found)
lock.packages = Object.fromEntries(
  Object.entries(lock.packages)
    .map(
      ([place, entry]) => [place, place.includes('node_modules/') ? withoutEngines(entry) : entry] as const,
    )
    .toSorted(([a], [b]) => a.localeCompare(b, 'en')),
)
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)

const addressed = Object.entries(lock.packages).filter(([, entry]) => entry.resolved && !entry.link)
console.log(`lock: ${missing.length} platform packages added, ${addressed.length} download addresses`)
process.exitCode = addressed.length > 0 ? 1 : 0

function withoutEngines({ engines: _engines, ...entry }: LockEntry): LockEntry {
  return entry
}

interface MissingPackage {
  readonly name: string
  readonly range: string
  readonly dev: boolean
  /** The folder of the package: beside the package that wants it, when another version takes the outermost place. */
  readonly place: string
}

function findMissing(packages: Packages): readonly MissingPackage[] {
  return Object.entries(packages).flatMap(([owner, { optionalDependencies = {}, dev = false }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, range]) => !placesOf(owner, name).some((place) => fits(packages[place], range)))
      .map(([name, range]) => {
        const outermost = `node_modules/${name}`
        const beside = `${owner.slice(0, owner.lastIndexOf('node_modules/'))}${outermost}`
        return { name, range, dev, place: packages[outermost] ? beside : outermost }
      }),
  )
}

/** The folders in which Node looks for a package that another one wants, innermost first. */
function placesOf(owner: string, name: string): readonly string[] {
  const folders = owner.split('/node_modules/')
  return folders
    .map(
      (_, depth) => `${folders.slice(0, folders.length - depth).join('/node_modules/')}/node_modules/${name}`,
    )
    .concat(`node_modules/${name}`)
}

/** Platform packages are wanted in one exact version; a range is left to npm. */
function fits(entry: LockEntry | undefined, range: string): boolean {
  return entry !== undefined && (!/^\d/.test(range) || entry.version === range)
}

function describePackage({ name, range, dev }: MissingPackage): LockEntry {
  const version = /\d.*$/.exec(range)?.[0]
  if (!version) throw new Error(`${name}@${range}: cannot tell the version`)
  const integrity = readIntegrity(`${name}@${version}`)
  return {
    version,
    ...(integrity ? { integrity } : {}),
    ...platformOf(name),
    ...(dev ? { dev } : {}),
    optional: true,
  }
}

/** The digest that the registry publishes, or undefined when the registry does not hold the package. */
function readIntegrity(spec: string): string | undefined {
  try {
    const text = execFileSync('npm', ['view', '--silent', spec, 'dist.integrity'], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    return text.trim() || undefined
  } catch {
    return undefined // `npm view` fails for packages that the registry lacks, which is why this script exists
  }
}

/** Platform packages say their platform in their name: `binding-linux-arm64-musl`, `darwin-x64`. */
function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/)
  const os = OS.find((known) => words.includes(known))
  const cpu = CPU.find((known) => words.includes(known))
  const libc = os === 'linux' ? words.map((word) => /^(gnu|musl)/.exec(word)?.[1]).find(Boolean) : undefined
  return {
    ...(cpu ? { cpu: [cpu] } : {}),
    ...(libc ? { libc: [libc === 'gnu' ? 'glibc' : 'musl'] } : {}),
    ...(os ? { os: [os] } : {}),
  }
}
