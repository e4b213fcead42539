const { existsSync, readdirSync, readFileSync, statSync } = require('node:fs')
const { join } = require('node:path')

const BUILD_SETTINGS = [
  'package.json',
  'scripts/build.ts',
  'scripts/build-builtins.ts',
  'scripts/join-chunks.ts',
]

/** @param {string} root */
const hasSources = (root) => existsSync(join(root, 'src/cli/main.ts'))

/** @param {string} root */
const stampFile = (root) => join(root, 'dist/build-stamp.json')

/**
 * Whether `dist` was built from exactly the sources that lie beside it.
 * @param {string} root
 */
const isBuildFresh = (root) => isStamped(root, 'sources', markSources)

/**
 * Whether the rendered help still says what the sources would say; the files right in `src/cli` decide that.
 * @param {string} root
 */
const isHelpFresh = (root) => isStamped(root, 'help', markHelp)

/**
 * Whether the quick answers were built from the sources as they are: only those that went into them are looked at.
 * @param {string} root
 */
const isQuickFresh = (root) =>
  isStamped(root, 'quick', (_root, { quickSources }) => markFiles(root, quickSources))

/**
 * @param {string} root
 * @param {'sources' | 'help' | 'quick'} part
 * @param {(root: string, stamp: { readonly quickSources: readonly string[] }) => string} mark
 */
function isStamped(root, part, mark) {
  try {
    const stamp = JSON.parse(readFileSync(stampFile(root), 'utf8'))
    return stamp[part] === mark(root, stamp)
  } catch {
    return false // no build, or one that ended half way
  }
}

/** @param {string} root */
const markHelp = (root) => {
  const files = readdirSync(join(root, 'src/cli')).filter((name) => name.endsWith('.ts'))
  return markFiles(root, ['package.json', ...files.sort().map((name) => `src/cli/${name}`)])
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
  return markFiles(root, [...BUILD_SETTINGS, ...files.map((name) => `src/${name}`)])
}

/**
 * @param {string} root
 * @param {readonly string[]} paths
 */
function markFiles(root, paths) {
  let mark = 0
  for (const path of paths) {
    const { size, mtimeMs } = statSync(`${root}/${path}`)
    mark = (mark * 31 + path.length + size + mtimeMs) % 0xfffffffb
  }
  return `${paths.length}-${mark}`
}

module.exports = {
  hasSources,
  isBuildFresh,
  isHelpFresh,
  isQuickFresh,
  markFiles,
  markHelp,
  markSources,
  stampFile,
}
