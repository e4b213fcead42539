/** Bundles the command line and the library into `dist`, writes the declarations and marks what it was built from. */
import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build, type Metafile } from 'esbuild'
import { isBuildFresh, markHelp, markSources, stampFile } from '../bin/build-stamp.js'
import { builtins } from './build-builtins.ts'

const NATIVE_PACKAGES = ['@ast-grep/*']

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

if (!process.argv.includes('--if-stale') || !isBuildFresh(root)) await buildAll()

async function buildAll(): Promise<void> {
  // Taken before anything is read: a file saved while the build runs makes it stale, not wrong.
  const marks = { sources: markSources(root), help: markHelp(root) }
  await rm(dist, { recursive: true, force: true })
  await Promise.all([bundle().then(writeNotices), writeDeclarations()])
  await writeHelp()
  await writeFile(stampFile(root), `${JSON.stringify(marks)}\n`)
}

/** The first thing that everybody asks for: rendered once, so that the launcher need not load anything for it. */
async function writeHelp(): Promise<void> {
  const entry = JSON.stringify(pathToFileURL(join(dist, 'cli/main.js')).href)
  const script = `import(${entry}).then(({ main }) => main(['--help']))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env: { NO_COLOR: '1' } })
  await writeFile(join(dist, 'help.txt'), stdout)
}

async function bundle(): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts', 'src/index.ts', 'src/adapters/process/git-host.ts'],
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.13',
    external: NATIVE_PACKAGES,
    plugins: [builtins],
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  return metafile
}

/** The bundle holds code of other packages, so it carries their licences. */
async function writeNotices({ inputs }: Metafile): Promise<void> {
  const packages = Object.keys(inputs).flatMap(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[0] ?? [],
  )
  const notices = await Promise.all([...new Set(packages)].toSorted().map(readNotice))
  await writeFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), notices.join('\n'))
}

async function readNotice(folder: string): Promise<string> {
  const name = folder.replace(/.*node_modules\//, '')
  const license = (await readdir(join(root, folder))).find((file) => /^licen[cs]e/i.test(file))
  return `${name}\n\n${license ? await readFile(join(root, folder, license), 'utf8') : await describeLicense(folder)}`
}

/** Some packages name their licence without its text. */
async function describeLicense(folder: string): Promise<string> {
  const text = await readFile(join(root, folder, 'package.json'), 'utf8')
  const { license, author } = JSON.parse(text) as { license?: string; author?: string | { name: string } }
  if (!license) throw new Error(`${folder} is bundled but names no licence`)
  const by = typeof author === 'object' ? author.name : author
  return `Licence: ${license}${by ? `, by ${by}` : ''}\n`
}

async function writeDeclarations(): Promise<void> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root })
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) console.error(error.stdout)
    throw error
  }
}
