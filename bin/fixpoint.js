#!/usr/bin/env node
// Decides which Node and which build run the command line. CommonJS that Node 18 can read: it starts in half the time.
const { readFileSync } = require('node:fs')
const module_ = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { hasSources, isBuildFresh, isHelpFresh, isQuickFresh } = require('./build-stamp.js')

const COULD_NOT_EVALUATE = 3

const root = join(__dirname, '..')
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isNewEnough = major > 22 || (major === 22 && minor >= 13)
const args = process.argv.slice(2)
if (args.length === 1 && /^(-h|--help)$/.test(args[0] ?? '') && (!hasSources(root) || isHelpFresh(root)))
  printHelp()
else if (!answersQuickly()) launch(isNewEnough && hasSources(root) && !isBuildFresh(root))

function launch(/** @type {boolean} */ fromSources) {
  if (isNewEnough && (!fromSources || process.features.typescript))
    void runHere(fromSources).catch(reportCrash)
  else runInNewerNode(fromSources)
}

/** The build has rendered it already. */
function printHelp() {
  process.stdout.write(readFileSync(join(root, 'dist/help.txt')))
}

/** Listing and showing issues loads a hundredth of the rest, and takes little more than Node itself. */
function answersQuickly() {
  if (!isNewEnough || args[0] !== 'issues' || args.length > 3) return false
  if (hasSources(root) && !isQuickFresh(root)) return false
  keepCompiledCode()
  hideExpectedWarnings()
  /** @type {{ answerQuickly(args: readonly string[]): boolean }} */
  const quick = require(join(root, 'dist/cli/quick.cjs'))
  return quick.answerQuickly(args)
}

/** Beside the package, not in the shared temporary folder, where another user could plant a cache. */
function keepCompiledCode() {
  module_.enableCompileCache?.(join(root, 'node_modules/.cache/fixpoint'))
}

async function runHere(/** @type {boolean} */ fromSources) {
  process.exitCode = COULD_NOT_EVALUATE // stands when the command line ends without an answer
  if (process.env.FIXPOINT_LAUNCHER) require('./follow-launcher.js').followLauncher()
  keepCompiledCode()
  hideExpectedWarnings()
  const entry = join(root, fromSources ? 'src/cli/main.ts' : 'dist/cli/main.js')
  const { main } = await import(pathToFileURL(entry).href)
  process.exitCode = await main(args)
}

function reportCrash(/** @type {unknown} */ error) {
  console.error(error)
  process.exitCode = COULD_NOT_EVALUATE
}

function runInNewerNode(/** @type {boolean} */ fromSources) {
  const { findNewerNode, relaunch } = require('./relaunch.js')
  const node = process.env.FIXPOINT_LAUNCHER ? undefined : findNewerNode()
  if (node) return relaunch(node, [__filename, ...args])
  const needed = fromSources ? '22.18' : '22.13'
  console.error(
    `fixpoint: Node ${needed} or newer is needed, and this is Node ${process.versions.node}. ` +
      'Run `npm ci` in a checkout of fixpoint or `npm install node@26` beside an installed one, or install a newer Node.',
  )
  process.exitCode = 2
}

/** The sources and the store rest on two features that older Nodes announce as experimental at every start. */
function hideExpectedWarnings() {
  const emitWarning = /** @type {(...args: unknown[]) => void} */ (process.emitWarning)
  process.emitWarning = (/** @type {unknown[]} */ ...args) => {
    const isExpected = args[1] === 'ExperimentalWarning' && /^(SQLite|Type Stripping) /.test(String(args[0]))
    if (!isExpected) emitWarning.apply(process, args)
  }
}
