import type { Figure } from './figure.ts'
import { runSleepingSession } from './sleeping-session.ts'

export const title = 'Peak memory of `fixpoint fix` with 64 attempts under way'

export async function run(): Promise<readonly Figure[]> {
  // Long enough that the last attempt is under way before the first one ends.
  const { peakMb } = await runSleepingSession({ issues: 64, concurrency: 64, sleepSeconds: 15 })
  return [{ name: '64 attempts at once', value: peakMb, limit: 200, unit: 'MB' }]
}
