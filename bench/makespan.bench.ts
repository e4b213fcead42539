import type { Figure } from './figure.ts'
import { runSleepingSession } from './sleeping-session.ts'

export const title = 'A session of 64 issues, 8 at a time, against the time that its agents sleep'

const ISSUES = 64
const CONCURRENCY = 8

export async function run(): Promise<readonly Figure[]> {
  return [await measure(1), await measure(2)]
}

async function measure(sleepSeconds: number): Promise<Figure> {
  const lowerBoundMs = (ISSUES / CONCURRENCY) * sleepSeconds * 1000
  const { sessionMs } = await runSleepingSession({ issues: ISSUES, concurrency: CONCURRENCY, sleepSeconds })
  return {
    name: `agents that sleep ${sleepSeconds} s`,
    value: sessionMs / lowerBoundMs,
    limit: 1.25,
    unit: `× ${lowerBoundMs / 1000} s`,
  }
}
