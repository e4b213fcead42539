/** Builds the dashboard into `dist/web`, which the server serves. */
import { globSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build } from 'vite'
import { markFiles } from '../bin/build-stamp.js'
import { formatNotices } from './notices.ts'

const STAMP = 'build-stamp.txt'

const sourcesOf = (root: string): readonly string[] =>
  [
    'package-lock.json',
    ...globSync(['web/**/*.*', 'src/client/*.ts', 'src/model/**/*.ts'], {
      cwd: root,
      exclude: ['**/node_modules/**', 'web/test/**', '**/*.test.{ts,tsx}'],
    }),
  ].toSorted()

/**
 * Builds the dashboard when one of its sources was changed since the last build; the other parts of `dist` stay as they
 * are.
 */
export async function buildWeb(root: string): Promise<void> {
  const folder = join(root, 'dist/web')
  const mark = markFiles(root, sourcesOf(root))
  const isFresh = async (): Promise<boolean> =>
    (await readFile(join(folder, STAMP), 'utf8').catch(() => '')) === mark
  if (await isFresh()) return
  // The build goes to a folder beside `dist/web`, which then takes its place: a running server never sees half of a build.
  const made = join(root, `dist/.web-${process.pid}`)
  await mkdir(made, { recursive: true })
  try {
    const modules = await bundle(root, made)
    await writeFile(join(made, 'THIRD-PARTY-NOTICES.txt'), await formatNotices(root, modules))
    await writeFile(join(made, STAMP), mark)
    await rm(folder, { recursive: true, force: true })
    await rename(made, folder)
  } catch (error) {
    // Another build of the same sources may have been quicker.
    if (!(await isFresh())) throw error
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** The files whose code is in the bundle, relative to the root. */
async function bundle(root: string, outDir: string): Promise<readonly string[]> {
  // Vite keeps NODE_ENV as it is set, and React's development build is half as large again.
  process.env['NODE_ENV'] = 'production'
  const built = await build({
    configFile: join(root, 'web/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  })
  const outputs = Array.isArray(built) ? built : 'output' in built ? [built] : []
  const modules = outputs.flatMap(({ output }) =>
    output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : [])),
  )
  // The style sheet holds Tailwind's base rules.
  return [...modules.map((id) => relative(root, id)), 'node_modules/tailwindcss/index.css']
}
