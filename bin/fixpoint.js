#!/usr/bin/env node
// Plain JavaScript that Node 18 can read: it decides which Node and which build run the command line.
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { hasSources, isBuildFresh } from './build-stamp.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isNewEnough = major > 22 || (major === 22 && minor >= 13)
const runsSources = isNewEnough && hasSources(root) && !isBuildFresh(root)

if (isNewEnough && (!runsSources || process.features.typescript)) await runHere()
else await runInNewerNode()

async function runHere() {
  if (process.env.FIXPOINT_LAUNCHER) (await import('./follow-launcher.js')).followLauncher()
  // Beside the package, not in the shared temporary folder, where another user could plant a cache.
  module.enableCompileCache?.(join(root, 'node_modules/.cache/fixpoint'))
  hideExpectedWarnings()
  const entry = join(root, runsSources ? 'src/cli/main.ts' : 'dist/cli/main.js')
  const { main } = await import(pathToFileURL(entry).href)
  process.exitCode = await main(process.argv.slice(2))
}

async function runInNewerNode() {
  const { findNewerNode, relaunch } = await import('./relaunch.js')
  const node = process.env.FIXPOINT_LAUNCHER ? undefined : findNewerNode()
  if (node) return relaunch(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)])
  const needed = runsSources ? '22.18' : '22.13'
  console.error(
    `fixpoint: Node ${needed} or newer is needed, and this is Node ${process.versions.node}. ` +
      'Run `npm ci` in a checkout of fixpoint or `npm install node@26` beside an installed one, or install a newer Node.',
  )
  process.exitCode = 2
}

/** The sources and the store rest on two features that older Nodes announce as experimental at every start. */
function hideExpectedWarnings() {
  const { emitWarning } = process
  process.emitWarning = (/** @type {string | Error} */ warning, /** @type {any[]} */ ...rest) => {
    const type = rest[0]?.type ?? rest[0]
    if (type === 'ExperimentalWarning' && /^(SQLite|Type Stripping) /.test(String(warning))) return
    emitWarning.call(process, warning, ...rest)
  }
}
