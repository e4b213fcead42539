export { recordRuns } from './record-runs.ts'
export { createReplayAgent } from './replay-agent.ts'
