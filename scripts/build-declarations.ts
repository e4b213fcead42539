import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

/** The public modules of the package, without their ending; `src` and `dist` name them alike. */
const ENTRIES = ['index', 'model', 'client/index']

/** Writes one file of declarations for each entry. It imports only packages that this package depends on. */
export async function buildDeclarations(root: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-types-'))
  try {
    await writeDeclarations(root, folder)
    await Promise.all(ENTRIES.map((entry) => bundle(entry, folder, join(root, 'dist'))))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeDeclarations(root: string, folder: string): Promise<void> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', folder]
  try {
    await promisify(execFile)(process.execPath, args, { cwd: root })
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) console.error(error.stdout)
    throw error
  }
}

async function bundle(entry: string, folder: string, dist: string): Promise<void> {
  const bundled = await rolldown({
    input: { [entry]: join(folder, `${entry}.d.ts`) },
    external: /^[^./]/,
    checks: { bundlerTimings: false },
    // The compiler has already made the declarations, so nothing is left to generate.
    plugins: dts({ dtsInput: true, generator: 'oxc', tsconfig: false }),
  })
  await bundled.write({ dir: dist })
  await bundled.close()
}
