/**
 * Bundles the command line and the library into `dist` and marks the sources of the build, then writes the declarations
 * and builds the dashboard. `--if-stale` bundles only if the build is stale; `--declarations` and `--web` do only that part.
 */
import { execFile } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild'
import { isBuildFresh, markFiles, markHelp, markSources, stampFile } from '../bin/build-stamp.js'
import { builtins } from './build-builtins.ts'
import { joinChunks } from './join-chunks.ts'
import { formatNotices } from './notices.ts'

/** Native code, and modules that a dependency loads only while somebody debugs it. */
const NOT_BUNDLED = [
  '@ast-grep/*',
  'oxc-parser',
  'pg',
  'pg-boss',
  'react-devtools-core',
  'oxlint',
  '@astral-sh/ruff-wasm-nodejs',
]

/** Every command loads the first, most commands the second, and commands that start agents or checks the third. */
const LOADED_TOGETHER = ['src/cli/main.ts', 'src/app/open-app.ts', 'src/app/build-ports.ts']
const LOADED_ALONE = [
  'src/model.ts',
  'src/client/index.ts',
  'src/adapters/process/git-host.ts',
  'src/adapters/store/sqlite/sqlite-thread.ts',
]

/** Zod brings its messages in fifty languages. Every command would load them, and none uses them. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

/** The settings of every bundle. */
const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22.13',
  external: NOT_BUNDLED,
  // React's development build checks itself at every step, and keeps a record of each.
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [builtins, englishOnly],
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions

const only = process.argv[2]
const isWanted = (part: string): boolean => only === undefined || only === part
if (only === undefined || (only === '--if-stale' && !isBuildFresh(root))) await buildCommandLine()
// The tools of these two take a second to load, so a build of the command line alone does not wait for them.
if (isWanted('--declarations')) await (await import('./build-declarations.ts')).buildDeclarations(root)
if (isWanted('--web')) await (await import('./build-web.ts')).buildWeb(root)

async function buildCommandLine(): Promise<void> {
  // The marks are taken before anything is read, so a file that is saved during the build makes the build stale, not wrong.
  const marks = { sources: markSources(root), help: markHelp(root) }
  await clear()
  const { inputs, outputs } = await bundle()
  await joinChunks({ root, outputs, sources: LOADED_TOGETHER, apart: LOADED_ALONE })
  await writeNotices(inputs)
  await writeHelp()
  const quickSources = await bundleQuickAnswers()
  const stamp = { ...marks, quick: markFiles(root, quickSources), quickSources }
  await writeFile(stampFile(root), `${JSON.stringify(stamp)}\n`)
}

/** Empties `dist`, except for the dashboard, which has a mark of its own. */
async function clear(): Promise<void> {
  await mkdir(dist, { recursive: true })
  const names = (await readdir(dist)).filter((name) => !name.includes('web'))
  await Promise.all(names.map((name) => rm(join(dist, name), { recursive: true, force: true })))
}

/** Renders the help once, because everybody asks for it first: the launcher then loads nothing for it. */
async function writeHelp(): Promise<void> {
  const entry = JSON.stringify(pathToFileURL(join(dist, 'cli/main.js')).href)
  const script = `import(${entry}).then(({ main }) => main(['--help']))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env: { NO_COLOR: '1' } })
  await writeFile(join(dist, 'help.txt'), stdout)
}

async function bundle(): Promise<Metafile> {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: ['src/cli/main.ts', 'src/index.ts', ...LOADED_ALONE],
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    format: 'esm',
  })
  return metafile
}

/** Bundles one file in the format that Node loads fastest, and gives the list of its sources. */
async function bundleQuickAnswers(): Promise<readonly string[]> {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: ['src/cli/quick/answer.ts'],
    outfile: 'dist/cli/quick.cjs',
    format: 'cjs',
    plugins: [],
  })
  return Object.keys(metafile.inputs).filter((path) => path.startsWith('src/'))
}

async function writeNotices(inputs: Metafile['inputs']): Promise<void> {
  await writeFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), await formatNotices(root, Object.keys(inputs)))
}
