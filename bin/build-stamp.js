import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** @param {string} root */
export const hasSources = (root) => existsSync(join(root, 'src/cli/main.ts'))

/** @param {string} root */
export const stampFile = (root) => join(root, 'dist/build-stamp.json')

/**
 * Whether `dist` was built from exactly the sources that lie beside it.
 * @param {string} root
 */
export function isBuildFresh(root) {
  try {
    return JSON.parse(readFileSync(stampFile(root), 'utf8')).sources === markSources(root)
  } catch {
    return false // no build, or one that ended half way
  }
}

/**
 * A mark that changes when a file that the build reads is added, removed or written. It is taken at every start, hence
 * sums of numbers instead of a digest.
 * @param {string} root
 */
export function markSources(root) {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
  let mark = 0
  for (const path of ['package.json', 'scripts/build.ts', ...files.map((name) => `src/${name}`)]) {
    const { size, mtimeMs } = statSync(`${root}/${path}`)
    mark = (mark * 31 + path.length + size + mtimeMs) % 0xfffffffb
  }
  return `${files.length}-${mark}`
}
