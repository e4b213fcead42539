import type { GateDefinition } from './gate-definition.ts'

export const ranGate: GateDefinition = {
  name: 'ran',
  description: 'did the agent end well, with a report that can be read?',
  asks: null,
  needs: 'run',
  judge(_patch, { run, report }) {
    if (run.ending.ended === 'failed')
      return { status: 'failed', reason: `the agent ${run.ending.kind}: ${run.ending.message}` }
    if (!report)
      return {
        status: 'failed',
        reason:
          'the agent gave no readable report: its output ends without the JSON object that was asked for',
      }
    return { status: 'passed', reason: `${run.agent} finished with a report` }
  },
}
