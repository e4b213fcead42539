export { recordRuns } from './record-runs.ts'
export { createReplayAgent, type ReplayOptions } from './replay-agent.ts'
