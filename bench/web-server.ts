/** A server for `web.bench.ts`: 100,000 issues and one session, which gets so many marked events when told to. */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { openServing } from '../src/server/serving/serving.ts'
import { createLog } from '../src/server/log.ts'
import { startServer } from '../src/server/start-server.ts'
import {
  issueOf,
  numbered,
  repositoryId,
  sampleEvent,
  sampleFinding,
  sampleReview,
  sampleSession,
} from '../test/fixtures/store/samples.ts'

const [home = '', token = '', issues = '', events = ''] = process.argv.slice(2)
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
const session = sampleSession('ses_1', [numbered('iss', 0)])
await store.sessions.create({ session, attempts: [], events: [sampleEvent(session.id)] })
const log = createLog('error')
const server = await startServer({ serving, token, host: '127.0.0.1', port: 0, version: 'bench', log })
console.log(server.url)
const lines = createInterface({ input: process.stdin })
await once(lines, 'line')
for (let sent = 0; sent < Number(events); sent += 1) {
  const event = sampleEvent(session.id, { message: `sent at ${Date.now()}` })
  const recorded = await store.sessions.record({ sessionId: session.id, owner: 'one', events: [event] })
  recorded.forEach(feeds.publish)
  await delay(50)
}
await once(lines, 'line')
await server.stop(0)
lines.close()
