/** @type {readonly NodeJS.Signals[]} */
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

const OWN_SIGNAL_ARRIVES_WITHIN_MS = 20

/**
 * Ends this process as soon as its launcher is gone, and raises each signal that only the launcher got. A terminal
 * signals the whole process group, `kill` one process: counting on both sides delivers either exactly once.
 */
function followLauncher() {
  delete process.env.FIXPOINT_LAUNCHER
  const end = () => process.exit(143)
  process.once('disconnect', end)
  if (!process.connected) end()

  /** @type {Map<NodeJS.Signals, number>} */
  const received = new Map()
  const countOf = (/** @type {NodeJS.Signals} */ signal) => received.get(signal) ?? 0
  const note = (/** @type {NodeJS.Signals} */ signal) => {
    received.set(signal, countOf(signal) + 1)
    if (process.listenerCount(signal) === 1) dieOf(signal)
  }
  for (const signal of FORWARDED_SIGNALS) process.on(signal, note)

  process.on('message', (/** @type {{ signal: NodeJS.Signals, count: number }} */ { signal, count }) => {
    setTimeout(() => {
      if (countOf(signal) < count) process.kill(process.pid, signal)
    }, OWN_SIGNAL_ARRIVES_WITHIN_MS)
  })
  process.channel?.unref()
}

/** @param {NodeJS.Signals} signal */
function dieOf(signal) {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

module.exports = { FORWARDED_SIGNALS, followLauncher }
