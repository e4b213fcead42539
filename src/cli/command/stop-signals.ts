const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The next signal that asks this process to end; from now until then it does not end by itself. */
export const nextSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      for (const name of stopSignals) process.off(name, onSignal)
      resolve(signal)
    }
    for (const name of stopSignals) process.on(name, onSignal)
  })
