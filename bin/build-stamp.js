const { existsSync, readdirSync, readFileSync, statSync } = require('node:fs')
const { join } = require('node:path')

const BUILD_SETTINGS = ['package.json', 'scripts/build.ts', 'scripts/build-builtins.ts']

/** @param {string} root */
const hasSources = (root) => existsSync(join(root, 'src/cli/main.ts'))

/** @param {string} root */
const stampFile = (root) => join(root, 'dist/build-stamp.json')

/**
 * Whether `dist` was built from exactly the sources that lie beside it.
 * @param {string} root
 */
function isBuildFresh(root) {
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
function markSources(root) {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
  let mark = 0
  for (const path of [...BUILD_SETTINGS, ...files.map((name) => `src/${name}`)]) {
    const { size, mtimeMs } = statSync(`${root}/${path}`)
    mark = (mark * 31 + path.length + size + mtimeMs) % 0xfffffffb
  }
  return `${files.length}-${mark}`
}

module.exports = { hasSources, isBuildFresh, markSources, stampFile }
