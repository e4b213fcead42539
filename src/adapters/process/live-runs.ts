import { findRunProcesses, sendSignal, type RunProcesses } from './kill-run.ts'

const liveRuns = new Set<RunProcesses>()
let isListening = false

const ROUNDS_AT_EXIT = 3

/** Makes sure that the run does not outlive this process when it ends by itself or by `process.exit`. */
export function addLiveRun(run: RunProcesses): void {
  liveRuns.add(run)
  if (isListening) return
  isListening = true
  process.on('exit', killLiveRuns)
}

export function removeLiveRun(run: RunProcesses): void {
  liveRuns.delete(run)
}

function killLiveRuns(): void {
  for (const run of liveRuns) {
    for (let round = 0; round < ROUNDS_AT_EXIT; round += 1) {
      for (const pid of findRunProcesses(run).pids) sendSignal(pid, 'SIGKILL')
    }
  }
}
