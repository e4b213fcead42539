import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { FORWARDED_SIGNALS } from './follow-launcher.js'

/** The Node that npm installs with this package or beside it, if there is one. */
export function findNewerNode() {
  try {
    const home = dirname(createRequire(import.meta.url).resolve('node/package.json'))
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
export function relaunch(node, args) {
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
