import type { CodePackage, PackageTree } from '../../model/proof/import-graph.ts'
import { foldersAbove } from '../../model/repository-path.ts'

const body = /^(?:func|type|var|const)\b/m
const comments = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g
const importing = /\bimport\s*(?:\(([^)]*)\)?|([\w.]*\s*["`][^"`\n]*["`]))/g

/** The paths that Go text imports; they all stand before its first declaration. */
export function readGoImports(source: string): readonly string[] {
  // Comments go first: a declaration in one of them would hide the imports below it.
  const plain = source.replaceAll(comments, ' ')
  const header = plain.slice(0, body.exec(plain)?.index)
  const found = new Set<string>()
  for (const [, list, single] of header.matchAll(importing))
    for (const [, path = ''] of (list ?? single ?? '').matchAll(/["`]([^"`\n]+)["`]/g)) found.add(path)
  return [...found]
}

/** Folders that `./...` leaves out. */
const leftOut = /(?:^|\/)(?:vendor|testdata|[._][^/]*)\//

/** Files of packages that `go test ./...` runs. */
export const isGoFile = (path: string): boolean => path.endsWith('.go') && !leftOut.test(path)

/** The packages of a tree that is one module; null where several could be meant. */
export function goPackages(
  imports: ReadonlyMap<string, readonly string[]>,
  modules: ReadonlyMap<string, string>,
): PackageTree | null {
  const [[path, text] = ['', '']] = modules
  const name = /^\s*module\s+"?([^\s"]+)"?\s*(?:\/\/.*)?$/m.exec(text)?.[1]
  if (modules.size !== 1 || path !== 'go.mod' || name === undefined) return null
  const own = (written: string): readonly string[] => {
    if (written === name) return ['']
    return written.startsWith(`${name}/`) ? [`${written.slice(name.length + 1)}/`] : []
  }
  const packages = new Map<string, { uses: Set<string>; testUses: Set<string>; hasTests: boolean }>()
  for (const [file, written] of imports) {
    const folder = foldersAbove(file)[0] ?? ''
    const known = packages.get(folder) ?? { uses: new Set(), testUses: new Set(), hasTests: false }
    packages.set(folder, known)
    const isTest = file.endsWith('_test.go')
    known.hasTests ||= isTest
    for (const used of written.flatMap(own)) (isTest ? known.testUses : known.uses).add(used)
  }
  return { packages: [...packages].map(describe), areAllByDefault: true }
}

const describe = ([folder, { uses, testUses, hasTests }]: readonly [
  string,
  {
    readonly uses: ReadonlySet<string>
    readonly testUses: ReadonlySet<string>
    readonly hasTests: boolean
  },
]): CodePackage => ({
  folder,
  argument: folder === '' ? '.' : `./${folder.slice(0, -1)}`,
  uses: [...uses],
  testUses: [...testUses],
  hasTests,
})
