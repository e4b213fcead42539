/** One package that a lock file pins. */
export interface LockedPackage {
  /** Where it is installed; two versions of a package have two places. */
  readonly place: string
  readonly name: string
  readonly version: string
  /** Where it is fetched from; null for a part of the repository itself. */
  readonly source: string | null
  readonly checksum: string | null
  /** The names of the packages that it depends on. */
  readonly needs: readonly string[]
}

export type LockedPackages = ReadonlyMap<string, LockedPackage>

/** The packages of a lock file by their places; null for a format or a text that nobody here reads. */
export function readLock(path: string, text: string): LockedPackages | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const packages =
    name === 'package-lock.json' || name === 'npm-shrinkwrap.json'
      ? readNpm(text)
      : name === 'cargo.lock'
        ? readCargo(text)
        : /\.(?:txt|in)$/.test(name)
          ? readRequirements(text)
          : null
  return packages && new Map(packages.map((each) => [each.place, each]))
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** As npm 7 and newer write it. */
function readNpm(text: string): readonly LockedPackage[] | null {
  const packages = parsePackages(text)
  return (
    packages &&
    Object.entries(packages).map(([place, value]) => {
      const { name, version, resolved, integrity, ...rest } = fieldsOf(value)
      return {
        place,
        name: textOf(name) ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
        version: textOf(version) ?? '',
        source: textOf(resolved),
        checksum: textOf(integrity),
        needs: dependencyFields.flatMap((field) => Object.keys(fieldsOf(rest[field]))),
      }
    })
  )
}

export const dependencyFields = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const

function parsePackages(text: string): Fields | null {
  try {
    const { packages } = fieldsOf(JSON.parse(text))
    return typeof packages === 'object' && packages !== null ? fieldsOf(packages) : null
  } catch {
    return null
  }
}

function readCargo(text: string): readonly LockedPackage[] | null {
  const blocks = text.split(/^\[\[package\]\]$/m).slice(1)
  const packages = blocks.flatMap((block) => {
    const field = (name: string): string | null =>
      new RegExp(String.raw`^${name} = "([^"\n]*)"$`, 'm').exec(block)?.[1] ?? null
    const [name, version] = [field('name'), field('version')]
    if (name === null || version === null) return []
    const list = /^dependencies = \[([^\]]*)\]/m.exec(block)?.[1] ?? ''
    const needs = [...list.matchAll(/"([^" \n]+)[^"\n]*"/g)].flatMap(([, needed]) => needed ?? [])
    const place = `${name} ${version}`
    return [{ place, name, version, source: field('source'), checksum: field('checksum'), needs }]
  })
  return packages.length === blocks.length ? packages : null
}

/** A name with its version, and on what systems. */
const requirement =
  /^([\w.-]+(?: ?\[[\w,. -]+\])?) ?(?:(?:[~=<>!]=?|===) ?([\w.*+!-]+)(?: ?, ?[~=<>!]=? ?[\w.*+!-]+)*)? ?(;[^@]*)?$/

/** Any other line, such as an option or an address, counts as a package from elsewhere. */
function readRequirements(text: string): readonly LockedPackage[] {
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)
  return lines.flatMap((line): readonly LockedPackage[] => {
    const words = line.split(/\s+/).filter(Boolean)
    const comment = words.findIndex((word) => word.startsWith('#'))
    const said = comment === -1 ? words : words.slice(0, comment)
    const isHash = (word: string): boolean => word.startsWith('--hash=')
    const asked = said.filter((word) => !isHash(word)).join(' ')
    if (asked === '') return []
    const [, name, version = '', systems = ''] = requirement.exec(asked) ?? []
    return name === undefined
      ? [{ place: asked, name: asked, version: '', source: null, checksum: null, needs: [] }]
      : [
          {
            place: `${name}${systems}`,
            name: name.replace(/ ?\[.*/, ''),
            version,
            source: 'pip',
            checksum: said.filter(isHash).join(' '),
            needs: [],
          },
        ]
  })
}
