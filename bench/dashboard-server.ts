/**
 * A server for `dashboard.bench.ts`: 100,000 issues, sessions that are over, and one that runs. A line of its standard
 * input says how many marked events that one gets; the end of the input ends the server.
 */
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { openServing } from '../src/server/serving/serving.ts'
import { createLog } from '../src/server/log.ts'
import { startServer } from '../src/server/start-server.ts'
import type { Attempt } from '../src/model/attempt/attempt.ts'
import type { NewIssue } from '../src/loop/ports.ts'
import { sampleRound, sampleRun } from '../test/fixtures/attempt-samples.ts'
import {
  issueOf,
  numbered,
  repositoryId,
  sampleAttempt,
  sampleEvent,
  sampleFinding,
  sampleReview,
  sampleSession,
} from '../test/fixtures/store/samples.ts'

const [home = '', token = '', issues = '', sessions = ''] = process.argv.slice(2)
const onError = (error: unknown): void => console.error(error)
const serving = await openServing({ env: { FIXPOINT_HOME: home }, onError })
const { store, feeds } = serving
await store.repositories.ensure({ key: 'bench', path: home, newId: repositoryId })
const review = sampleReview('rev_1')
const created = Array.from({ length: Number(issues) }, (_, number) =>
  issueOf(sampleFinding(review, number), numbered('iss', number)),
)
const plan = () => ({ created, changed: [], issueOf: [] })
await store.issues.triage({ review, count: 0, parts: [{ findings: [], plan }] })

/** A session that is over, with one refused attempt of two rounds. */
async function addEnded(number: number, issue: NewIssue): Promise<void> {
  const at = new Date(Date.UTC(2030, 0, 1 + (number % 60))).toISOString()
  const session = sampleSession(numbered('ses', number), [issue.id], {
    status: 'failed',
    owner: null,
    updated_at: at,
    ended_at: at,
  })
  const round = sampleRound({ run: sampleRun({ agent: 'fixer', cost_usd: 0.1 }), refusal: 'refused' })
  const attempt = {
    ...sampleAttempt(numbered('att', number), session, { ...issue, code: `BE-${number}` }),
    stage: 'settled',
    outcome: 'refused',
    reason: 'refused',
    evidence: null,
    commit_sha: null,
    commit_message: null,
    rounds: [round, round],
  } as unknown as Attempt
  await store.sessions.create({ session, attempts: [attempt], events: [sampleEvent(session.id)] })
}

for (const [number, issue] of created.slice(1, Number(sessions) + 1).entries()) await addEnded(number, issue)
const running = sampleSession('ses_zz', [numbered('iss', 0)])
await store.sessions.create({ session: running, attempts: [], events: [sampleEvent(running.id)] })
const log = createLog('error')
const server = await startServer({ serving, token, host: '127.0.0.1', port: 0, version: 'bench', log })
console.log(server.url)
for await (const line of createInterface({ input: process.stdin }))
  for (let sent = 0; sent < Number(line); sent += 1) {
    const event = sampleEvent(running.id, { message: `sent at ${Date.now()}` })
    const recorded = await store.sessions.record({ sessionId: running.id, owner: 'one', events: [event] })
    recorded.forEach(feeds.publish)
    await delay(50)
  }
await server.stop(0)
