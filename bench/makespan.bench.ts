import type { Figure } from './figure.ts'
import { runLoneAttempt, runSleepingSession } from './sleeping-session.ts'

export const title = 'A session of 64 issues, 8 at a time, against the shortest time that it could take'

const ISSUES = 64
const CONCURRENCY = 8

export async function run(): Promise<readonly Figure[]> {
  return [await measure(1), await measure(2), await measureChallenged()]
}

/** Compares a session with the time that its agents sleep. */
async function measure(sleepSeconds: number): Promise<Figure> {
  const { sessionMs } = await runSleepingSession({ issues: ISSUES, concurrency: CONCURRENCY, sleepSeconds })
  const lowerBoundMs = (ISSUES / CONCURRENCY) * sleepSeconds * 1000
  return figureOf(`agents that sleep ${sleepSeconds} s`, sessionMs, { lowerBoundMs, limit: 1.15 })
}

/** Compares a session with the time of a lone attempt, with its check and its challenge. The landing comes on top. */
async function measureChallenged(): Promise<Figure> {
  const agents = { sleepSeconds: 1, challengeSeconds: 0.2 }
  const attemptMs = await runLoneAttempt(agents)
  const { sessionMs } = await runSleepingSession({ issues: ISSUES, concurrency: CONCURRENCY, ...agents })
  const lowerBoundMs = (ISSUES / CONCURRENCY) * attemptMs
  return figureOf('landing included, against lone attempts', sessionMs, { lowerBoundMs, limit: 1.15 })
}

const figureOf = (
  name: string,
  sessionMs: number,
  { lowerBoundMs, limit }: { readonly lowerBoundMs: number; readonly limit: number },
): Figure => ({
  name,
  value: sessionMs / lowerBoundMs,
  limit,
  unit: `× ${Number((lowerBoundMs / 1000).toPrecision(3))} s`,
})
