/** Bundles the command line and the library into `dist`, writes the declarations and marks what it was built from. */
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { markSources, stampFile } from '../bin/build-stamp.js'

const root = join(import.meta.dirname, '..')

// Taken before anything is read: a file saved while the build runs makes it stale, not wrong.
const sources = markSources(root)
await rm(join(root, 'dist'), { recursive: true, force: true })
await Promise.all([bundle(), writeDeclarations()])
await writeFile(stampFile(root), `${JSON.stringify({ sources })}\n`)

async function bundle(): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts', 'src/index.ts'],
    outbase: 'src',
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.13',
    packages: 'external',
    chunkNames: 'chunks/[name]-[hash]',
    logLevel: 'warning',
  })
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
