import { join } from 'node:path/posix'
import type { CodePackage, PackageTree } from '../../model/proof/import-graph.ts'
import { foldersAbove } from '../../model/repository-path.ts'

interface Manifest {
  readonly folder: string
  /** Section → its lines. */
  readonly sections: ReadonlyMap<string, string>
}

/** The members of the Cargo workspace at the root of a tree; null where there is none, or where it is put together in ways that are not read. */
export function cargoPackages(manifests: ReadonlyMap<string, string>): PackageTree | null {
  const all = [...manifests].map(([path, text]) => parse(foldersAbove(path)[0] ?? '', text))
  const root = all.find(({ folder }) => folder === '')
  const workspace = root?.sections.get('workspace')
  const isReplaced = [...(root?.sections.keys() ?? [])].some((name) => /^(?:patch|replace)\b/.test(name))
  if (!root || workspace === undefined || isReplaced) return null
  const shared = sharedPaths(root)
  const usesOf = new Map(all.map((each) => [each.folder, uses(each, shared)]))
  const members = membersOf(workspace, usesOf)
  const packages = all.flatMap((manifest): CodePackage[] => {
    const name = /^\s*name\s*=\s*["']([\w-]+)["']/m.exec(manifest.sections.get('package') ?? '')?.[1]
    if (name === undefined || !members.has(manifest.folder)) return []
    const used = usesOf.get(manifest.folder) ?? []
    return [{ folder: manifest.folder, argument: `-p ${name}`, uses: used, testUses: [], hasTests: true }]
  })
  const areAllByDefault = !root.sections.has('package') && !/^\s*default-members\b/m.test(workspace)
  return { packages, areAllByDefault }
}

function parse(folder: string, text: string): Manifest {
  const plain = text.replaceAll(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g, (match) =>
    match.startsWith('#') ? '' : match,
  )
  const [, ...parts] = `\n${plain}`.split(/^[ \t]*\[{1,2}[ \t]*([^[\]\n]+?)[ \t]*\]{1,2}[ \t]*$/m)
  const sections = new Map<string, string>()
  for (let at = 0; at < parts.length; at += 2) {
    const name = parts[at] ?? ''
    sections.set(name, `${sections.get(name) ?? ''}${parts[at + 1] ?? ''}`)
  }
  return { folder, sections }
}

const dependencies = /(?:^|\.)(?:dev-|build-)?dependencies(?:\.["']?([\w-]+)["']?)?$/
const paths = /\bpath\s*=\s*["']([^"']+)["']/g
const entry = /^[ \t]*["']?([\w-]+)["']?(?:[ \t]*\.[ \t]*\w+)?[ \t]*=/gm

/** Packages of the workspace that members name without saying where they are. */
function sharedPaths({ sections }: Manifest): ReadonlyMap<string, string> {
  const shared = new Map<string, string>()
  for (const [section, text] of sections) {
    if (!section.startsWith('workspace.dependencies')) continue
    const named = dependencies.exec(section)?.[1]
    const entries = named === undefined ? entriesOf(text) : [[named, text] as const]
    for (const [name, value] of entries)
      for (const [, path = ''] of value.matchAll(paths)) shared.set(name, folderAt('', path))
  }
  return shared
}

/** The entries of a section: each name with what follows until the next one. */
function entriesOf(text: string): readonly (readonly [string, string])[] {
  const starts = [...text.matchAll(entry)]
  return starts.map(({ 1: name = '', index }, at) => [name, text.slice(index, starts[at + 1]?.index)])
}

/** Every package that a manifest may load, for whatever target and purpose. */
function uses({ folder, sections }: Manifest, shared: ReadonlyMap<string, string>): readonly string[] {
  const found = new Set<string>()
  for (const [section, text] of sections) {
    const match = section.startsWith('workspace.') ? null : dependencies.exec(section)
    if (!match) continue
    const names = [match[1] ?? '', ...entriesOf(text).map(([name]) => name)]
    for (const [, path = ''] of text.matchAll(paths)) found.add(folderAt(folder, path))
    names.flatMap((name) => shared.get(name) ?? []).forEach((each) => found.add(each))
  }
  return [...found]
}

const folderAt = (from: string, path: string): string => {
  const joined = join(from, path).replace(/\/*$/, '/')
  return joined === './' ? '' : joined
}

/** The folders that the workspace lists, and the packages below the root that those load, which are members too. */
function membersOf(workspace: string, usesOf: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const listed = globsIn(workspace, 'members')
  const excluded = globsIn(workspace, 'exclude')
  const isExcluded = (folder: string): boolean => excluded.some((glob) => glob.test(folder))
  const members = new Set(
    [...usesOf.keys()].filter(
      (folder) => folder === '' || (listed.some((glob) => glob.test(folder)) && !isExcluded(folder)),
    ),
  )
  for (const folder of members)
    for (const used of usesOf.get(folder) ?? []) if (usesOf.has(used) && !isExcluded(used)) members.add(used)
  return members
}

function globsIn(workspace: string, key: string): readonly RegExp[] {
  const list = new RegExp(String.raw`^\s*${key}\s*=\s*\[([^\]]*)\]`, 'm').exec(workspace)?.[1] ?? ''
  return [...list.matchAll(/["']([^"']+)["']/g)].map(([, glob = '']) => {
    const plain = folderAt('', glob).replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    return new RegExp(`^${plain.replaceAll(/\*\*?/g, (star) => (star === '*' ? '[^/]*' : '.*'))}$`)
  })
}
