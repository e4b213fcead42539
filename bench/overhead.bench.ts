import type { Figure } from './figure.ts'
import { runSleepingSession } from './sleeping-session.ts'

export const title = 'What Fixpoint itself takes for each issue, beside agents and checks'

const ISSUES = 64

export async function run(): Promise<readonly Figure[]> {
  const { sessionMs, cpuMs } = await runSleepingSession({ issues: ISSUES, concurrency: 8, sleepSeconds: 0 })
  return [
    { name: 'wall clock', value: sessionMs / ISSUES, limit: 50, unit: 'ms per issue' },
    {
      name: 'processor time, with everything started',
      value: cpuMs / ISSUES,
      limit: 80,
      unit: 'ms per issue',
    },
  ]
}
