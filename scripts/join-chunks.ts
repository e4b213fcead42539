import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'

type Outputs = Metafile['outputs']

interface JoinRequest {
  readonly root: string
  readonly outputs: Outputs
  /** Each of these sources becomes one file with all its imports; a later one imports from the earlier ones. */
  readonly sources: readonly string[]
  /** Entries that a browser or a small process loads alone: they must not get code that only others need. */
  readonly apart: readonly string[]
}

/**
 * Makes one file of the chunks that are always loaded together. The bundler makes a chunk for each set of entries that
 * share code, so a command would link a hundred small files, which takes as long as all else that it does.
 */
export async function joinChunks({ root, outputs, sources, apart }: JoinRequest): Promise<void> {
  const homes = new Map<string, string>()
  const reaches = apart.map((entry) => new Set(reachOf(outputs, chunkOf(outputs, entry))))
  const loaders = (path: string): string =>
    reaches.map((reach, index) => (reach.has(path) ? `-${index}` : '')).join('')
  for (const source of sources) {
    const reached = reachOf(outputs, chunkOf(outputs, source)).filter((path) => !homes.has(path))
    for (const [loadedBy, members] of Map.groupBy(reached, loaders)) {
      const home = `dist/chunks/${basename(source, '.ts')}-joined${loadedBy}.js`
      await writeJoined({ root, outputs, members, home })
      for (const path of members) homes.set(path, home)
    }
  }
  const lazily = new Set(importsOf(Object.values(outputs), 'dynamic-import'))
  for (const [path, { exports, entryPoint }] of Object.entries(outputs)) {
    const home = homes.get(path)
    if (home === undefined) await redirect(root, path, homes)
    else if (entryPoint !== undefined || lazily.has(path))
      await writeFile(join(root, path), forward(path, exports, home))
    else await rm(join(root, path))
  }
  for (const home of new Set(homes.values())) await redirect(root, home, homes)
}

function chunkOf(outputs: Outputs, source: string): string {
  const found = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === source)
  if (found === undefined) throw new Error(`${source} has no chunk of its own: nothing imports it lazily`)
  return found
}

/** A chunk and all its imports; an imported chunk comes before the chunk that imports it. */
function reachOf(outputs: Outputs, from: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(from)) return []
  seen.add(from)
  const imported = importsOf([outputs[from]], 'import-statement').filter((path) => path in outputs)
  return [...imported.flatMap((path) => reachOf(outputs, path, seen)), from]
}

const importsOf = (outputs: readonly (Outputs[string] | undefined)[], wanted: string): readonly string[] =>
  outputs
    .flatMap((output) => output?.imports ?? [])
    .flatMap(({ kind, path }) => (kind === wanted ? path : []))

/** The name of a chunk's export in the joined file. */
const joinedName = (path: string, name: string): string =>
  `${basename(path, '.js').replaceAll(/\W/g, '_')}_${name}`

interface JoinedFile {
  readonly root: string
  readonly outputs: Outputs
  readonly members: readonly string[]
  readonly home: string
}

async function writeJoined({ root, outputs, members, home }: JoinedFile): Promise<void> {
  const lines = members.map((path) => {
    const names = (outputs[path]?.exports ?? []).map((name) => `${name} as ${joinedName(path, name)}`)
    return `import '/${path}'; export { ${names.join(', ')} } from '/${path}'`
  })
  await build({
    absWorkingDir: root,
    stdin: { contents: lines.join('\n') },
    outfile: `${root}/${home}`,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.13',
    plugins: [onlyMembers(root, members)],
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'none',
    logLevel: 'warning',
  })
}

/** Takes the members in, and rewrites every other import for the folder of the joined file. */
const onlyMembers = (root: string, members: readonly string[]): Plugin => ({
  name: 'only-members',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, importer, kind }) => {
      if (path.startsWith('/')) return { path: join(root, path) }
      if (!path.startsWith('.')) return { path, external: true }
      const found = relative(root, join(dirname(importer), path))
      if (kind !== 'dynamic-import' && members.includes(found)) return { path: join(root, found) }
      return { path: `./${relative('dist/chunks', found)}`, external: true }
    })
  },
})

/** Keeps the exports of a joined chunk available under its old file name. */
function forward(path: string, names: readonly string[], home: string): string {
  const listed = names.map((name) => `${joinedName(path, name)} as ${name}`)
  return `export{${listed.join(',')}}from"${pathBetween(path, home)}";\n`
}

/** Rewrites the imports of a file to where the chunks are now. */
async function redirect(root: string, path: string, homes: ReadonlyMap<string, string>): Promise<void> {
  const text = await readFile(join(root, path), 'utf8')
  const moved = text.replaceAll(
    /\bimport\s*(?:\{([^}]*)\}\s*from)?\s*"(\.[^"]+)"/g,
    (statement: string, names: string | undefined, from: string) => {
      const chunk = join(dirname(path), from)
      const home = homes.get(chunk)
      if (home === undefined) return statement
      const place = `"${pathBetween(path, home)}"`
      if (names === undefined) return `import${place}`
      const moved = names.split(',').map((each) => {
        const [name = '', , local = name] = each.trim().split(/\s+/)
        return `${joinedName(chunk, name)} as ${local}`
      })
      return `import{${moved.join(',')}}from${place}`
    },
  )
  await writeFile(join(root, path), moved)
}

const pathBetween = (from: string, to: string): string => relative(dirname(from), to).replace(/^(?!\.)/, './')
