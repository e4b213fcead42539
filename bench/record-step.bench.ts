import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Variables } from '../src/adapters/process/clean-environment.ts'
import type { Store } from '../src/adapters/store/index.ts'
import { openStore } from '../src/app/open-store.ts'
import { advance } from '../src/model/attempt/advance-attempt.ts'
import type { Attempt } from '../src/model/attempt/attempt.ts'
import { createRecorder, type Recorder } from '../src/loop/context/recorder.ts'
import {
  numbered,
  planByFingerprint,
  repositoryId,
  sampleAttempt,
  sampleFinding,
  sampleReview,
  sampleSession,
  triageOnce,
} from '../test/fixtures/store/samples.ts'
import type { Figure } from './figure.ts'
import { withPostgres } from './postgres-database.ts'
import { median } from './statistics.ts'

export const title = 'Recording a step: rows and events in one transaction'

const ISSUES = 500

export const parts = ['sqlite', 'postgres'] as const

export async function run(part?: string): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  if (part !== 'postgres') figures.push(await measure('SQLite', 1, {}))
  if (part !== 'sqlite')
    figures.push(await withPostgres((url) => measure('PostgreSQL', 3, { FIXPOINT_DATABASE: url })))
  return figures
}

async function measure(database: string, limit: number, env: Variables): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'))
  const store = await openStore(folder, env)
  try {
    const times = await recordSession(store)
    return { name: `${database}: median of ${times.length} steps`, value: median(times), limit, unit: 'ms' }
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function recordSession(store: Store): Promise<readonly number[]> {
  await store.repositories.ensure({ key: 'one', path: '/one', newId: repositoryId })
  const review = sampleReview('rev_1')
  const findings = Array.from({ length: ISSUES }, (_, number) => sampleFinding(review, number))
  const plan = planByFingerprint(findings, (index) => numbered('iss', index))
  const { created } = await triageOnce(store, { review, findings, plan })
  const session = sampleSession(
    'ses_1',
    created.map(({ id }) => id),
  )
  const attempts = created.map((issue, position) =>
    sampleAttempt(numbered('att', position), session, issue, position),
  )
  await store.sessions.create({ session, attempts, events: [] })
  // A recorder needs only these ports.
  const ports = {
    sessions: store.sessions,
    clock: { now: Date.now, wait: () => Promise.resolve() },
    publisher: { publish: () => {} },
  }
  return recordAll(createRecorder({ session, attempts }, ports), attempts)
}

/** Begins every attempt and gives it up; the second step also settles its issue. */
async function recordAll(recorder: Recorder, attempts: readonly Attempt[]): Promise<readonly number[]> {
  const times: number[] = []
  const base = recorder.session().tip
  for (const queued of attempts) {
    const started = { type: 'started', base } as const
    const fixing = advance(queued, started)
    const stopped = { type: 'stopped', outcome: 'not_evaluated', reason: 'it is only a measurement' } as const
    for (const [before, event, after] of [
      [queued, started, fixing],
      [fixing, stopped, advance(fixing, stopped)],
    ] as const) {
      const startedAt = performance.now()
      await recorder.recordStep({ before, event, after })
      times.push(performance.now() - startedAt)
    }
  }
  return times
}
