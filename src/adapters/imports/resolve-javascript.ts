import { dirname, join } from 'node:path/posix'
import { foldersAbove } from '../../model/repository-path.ts'
import { matchSubpath, type PackageManifest, type PathAliases } from './packages.ts'

/** What a tree holds, as far as names in JavaScript and TypeScript lead to it. */
export interface ModuleTree {
  readonly files: ReadonlySet<string>
  /** By the path of the file that they stand in. */
  readonly manifests: ReadonlyMap<string, PackageManifest>
  readonly aliases: ReadonlyMap<string, PathAliases>
  readonly packages: ReadonlyMap<string, PackageManifest>
}

const extensions = [
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.d.ts',
  '.json',
  '.vue',
  '.svelte',
]
/** A compiled file has another extension than its source. */
const compiled: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\.js$/, ['.ts', '.tsx', '.d.ts', '.jsx']],
  [/\.jsx$/, ['.tsx']],
  [/\.mjs$/, ['.mts', '.d.mts']],
  [/\.cjs$/, ['.cts', '.d.cts']],
]

/** The files of the tree that an import leads to; none for a package from elsewhere. */
export function resolveJavaScriptImport(from: string, written: string, tree: ModuleTree): readonly string[] {
  const [name = ''] = written.split(/[?]/)
  if (name.startsWith('.')) return oneOf(join(dirname(from), name), tree)
  if (name.startsWith('#')) return resolveOwn(from, name, tree)
  const aliased = resolveAlias(from, name, tree)
  return aliased.length > 0 ? aliased : resolvePackage(name, tree)
}

const oneOf = (path: string, tree: ModuleTree): readonly string[] => {
  const found = resolveFile(path, tree)
  return found === null ? [] : [found]
}

function resolveFile(path: string, tree: ModuleTree): string | null {
  if (path.startsWith('..')) return null
  const { files } = tree
  if (files.has(path)) return path
  const rewritten = compiled.flatMap(([end, others]) =>
    end.test(path) ? others.map((other) => path.replace(end, other)) : [],
  )
  const named = [...rewritten, ...extensions.map((extension) => `${path}${extension}`)]
  return named.find((file) => files.has(file)) ?? resolveFolder(path, tree)
}

function resolveFolder(folder: string, tree: ModuleTree): string | null {
  const entries = tree.manifests.get(join(folder, 'package.json'))?.entries ?? []
  const places = [...entries.map((entry) => join(folder, entry)), join(folder, 'index')]
  const candidates = places.flatMap((place) => [place, ...extensions.map((end) => `${place}${end}`)])
  return candidates.find((file) => tree.files.has(file)) ?? null
}

/** `#name`, which the nearest package explains. */
function resolveOwn(from: string, name: string, tree: ModuleTree): readonly string[] {
  const own = nearest(from, 'package.json', tree.manifests)
  if (!own) return []
  return matchSubpath(own.imports, name).flatMap((target) =>
    target.startsWith('.') ? inPackage(own, target, tree) : resolvePackage(target, tree),
  )
}

function resolveAlias(from: string, name: string, tree: ModuleTree): readonly string[] {
  let settings = nearest(from, 'tsconfig.json', tree.aliases) ?? nearest(from, 'jsconfig.json', tree.aliases)
  // Settings that extend each other in a circle end here.
  for (let depth = 0; settings && depth < 5; depth += 1) {
    const { baseUrl, paths, parent } = settings
    const targets = [...matchSubpath(paths, name), ...(baseUrl === null ? [] : [join(baseUrl, name)])]
    const found = targets.flatMap((target) => oneOf(target, tree))
    if (found.length > 0) return found
    settings = parent === null ? null : (tree.aliases.get(parent) ?? null)
  }
  return []
}

function nearest<Found>(from: string, name: string, found: ReadonlyMap<string, Found>): Found | null {
  for (const folder of foldersAbove(from)) {
    const settings = found.get(`${folder}${name}`)
    if (settings) return settings
  }
  return null
}

/** A package of the same repository, by its name. */
function resolvePackage(written: string, tree: ModuleTree): readonly string[] {
  const [, name = '', rest = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(written) ?? []
  const found = tree.packages.get(name)
  if (!found) return []
  if (found.exports) {
    const targets = matchSubpath(found.exports, `.${rest}`)
    const files = targets.flatMap((target) => inPackage(found, target, tree))
    if (files.length > 0) return files
  }
  if (rest !== '') return oneOf(join(found.folder, rest), tree)
  const entries = found.entries.flatMap((entry) => inPackage(found, entry, tree))
  return entries.length > 0 ? entries : oneOf(join(found.folder, 'src/index'), tree)
}

/** A file of a package; its source, where the tree holds no build output and the package names that output. */
function inPackage({ folder }: PackageManifest, target: string, tree: ModuleTree): readonly string[] {
  const direct = oneOf(join(folder, target), tree)
  if (direct.length > 0) return direct
  const source = target.replace(/^(?:\.\/)?(?:dist|lib|build|out|esm|cjs)\/(?:esm\/|cjs\/)?/, 'src/')
  return source === target ? [] : oneOf(join(folder, source), tree)
}
