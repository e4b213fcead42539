import { dirname, join } from 'node:path/posix'

/** A `package.json` of the tree, as far as it says what its name stands for. */
export interface PackageManifest {
  readonly folder: string
  readonly name: string | null
  readonly entries: readonly string[]
  /** Subpath → the files it may stand for, `*` included; null where everything may be loaded. */
  readonly exports: Subpaths | null
  readonly imports: Subpaths
}

export type Subpaths = ReadonlyMap<string, readonly string[]>

/** A `tsconfig.json` of the tree, as far as it says what a name stands for. */
export interface PathAliases {
  readonly folder: string
  readonly paths: Subpaths
  /** Where names may also be looked for, or null. */
  readonly baseUrl: string | null
  readonly parent: string | null
}

export function parseManifest(path: string, text: string): PackageManifest | null {
  const written = parseJson(text)
  if (!written) return null
  const { name, main, module, types, exports, imports } = written
  return {
    folder: folderOf(path),
    name: typeof name === 'string' ? name : null,
    entries: [main, module, types].filter((entry) => typeof entry === 'string'),
    exports: exports === undefined ? null : subpathsOf(exports),
    imports: subpathsOf(imports ?? {}),
  }
}

/** Every condition counts: which one a program meets is not known here. */
function subpathsOf(written: unknown): Subpaths {
  if (!isRecord(written) || !Object.keys(written).some((key) => /^[.#]/.test(key)))
    return new Map([['.', targetsOf(written)]])
  return new Map(Object.entries(written).map(([key, value]) => [key, targetsOf(value)]))
}

const targetsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(targetsOf)
  return isRecord(value) ? Object.values(value).flatMap(targetsOf) : []
}

export function parseAliases(path: string, text: string): PathAliases | null {
  const written = parseJson(withoutComments(text))
  if (!written) return null
  const options = isRecord(written.compilerOptions) ? written.compilerOptions : {}
  const folder = folderOf(path)
  const baseUrl = typeof options.baseUrl === 'string' ? join(folder, options.baseUrl) : null
  const paths = isRecord(options.paths) ? options.paths : {}
  const extended = typeof written.extends === 'string' ? written.extends : null
  return {
    folder,
    baseUrl,
    paths: new Map(
      Object.entries(paths).map(([key, value]) => [
        key,
        targetsOf(value).map((target) => join(baseUrl ?? folder, target)),
      ]),
    ),
    parent: extended?.startsWith('.') ? join(folder, extended.replace(/(?<!\.json)$/, '.json')) : null,
  }
}

/** What a subpath stands for, a `*` filled in. */
export function matchSubpath(subpaths: Subpaths, wanted: string): readonly string[] {
  const exact = subpaths.get(wanted)
  if (exact) return exact
  return [...subpaths].flatMap(([key, targets]) => {
    const star = key.indexOf('*')
    if (star === -1) return []
    const [start, end] = [key.slice(0, star), key.slice(star + 1)]
    const isLong = wanted.length >= start.length + end.length
    if (!isLong || !wanted.startsWith(start) || !wanted.endsWith(end)) return []
    const filled = wanted.slice(start.length, wanted.length - end.length)
    return targets.map((target) => target.replaceAll('*', () => filled))
  })
}

const folderOf = (path: string): string => dirname(path)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const written: unknown = JSON.parse(text)
    return isRecord(written) ? written : null
  } catch {
    // No other program could read it either, so it names nothing.
    return null
  }
}

/** Comments and commas before a closing bracket, which TypeScript allows in its settings. */
const withoutComments = (text: string): string =>
  text
    .replaceAll(/"(?:[^"\\\n]|\\[^])*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, (match) =>
      match.startsWith('"') ? match : ' ',
    )
    .replaceAll(/"(?:[^"\\\n]|\\[^])*"?|,(?=\s*[}\]])/g, (match) => (match === ',' ? '' : match))
