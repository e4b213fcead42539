/** Stores a session with one event for `sse.bench.ts`, says so, and writes more events as fast as it can when it is told to. */
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openSqliteStore } from '../src/adapters/store/index.ts'
import {
  planByFingerprint,
  repositoryId,
  sampleEvent,
  sampleFinding,
  sampleReview,
  sampleSession,
  triageOnce,
} from '../test/fixtures/store/samples.ts'

const [home = '', count = ''] = process.argv.slice(2)
const store = await openSqliteStore({ file: join(home, 'fixpoint.db'), now: Date.now })
await store.repositories.ensure({ key: 'bench', path: home, newId: repositoryId })
const review = sampleReview('rev_1')
const findings = [sampleFinding(review, 1)]
const { created } = await triageOnce(store, {
  review,
  findings,
  plan: planByFingerprint(findings, () => 'iss_1'),
})
const session = sampleSession(
  'ses_1',
  created.map(({ id }) => id),
)
await store.sessions.create({ session, attempts: [], events: [sampleEvent(session.id)] })
console.log('stored')
const lines = createInterface({ input: process.stdin })
await once(lines, 'line')
for (let written = 2; written < Number(count); written += 1)
  await write(sampleEvent(session.id, { message: `event ${written}` }))
await write(sampleEvent(session.id, { type: 'fix_session_completed', message: 'the end' }))
lines.close()
await store.close()

async function write(event: ReturnType<typeof sampleEvent>): Promise<void> {
  await store.sessions.record({ sessionId: session.id, owner: 'one', events: [event] })
}
