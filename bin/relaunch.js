const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { FORWARDED_SIGNALS } = require('./follow-launcher.js')

/** The Node that npm installs with this package or beside it, if there is one. */
function findNewerNode() {
  try {
    const home = dirname(require.resolve('node/package.json'))
    const path = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(path) ? path : undefined
  } catch {
    return undefined // npm installed no such package
  }
}

/**
 * Runs the script in another Node and ends as it ends.
 * @param {string} node
 * @param {string[]} args
 */
function relaunch(node, args) {
  const child = spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, FIXPOINT_LAUNCHER: '1' },
  })
  child.on('error', (error) => {
    console.error(`fixpoint: cannot start ${node}: ${error.message}`)
    process.exit(2)
  })
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 2)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
  for (const signal of FORWARDED_SIGNALS) {
    let count = 0
    process.on(signal, () => {
      count += 1
      if (child.connected) child.send({ signal, count }, leaveToExitEvent)
    })
  }
}

/** A send fails only when the child has ended, and then its exit event says how. */
function leaveToExitEvent() {}

module.exports = { findNewerNode, relaunch }
