/** A server with one session for `sse.bench.ts`: it prints its address, and writes events as fast as it can when it is told to. */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { openServing } from '../src/server/serving/serving.ts'
import { createLog } from '../src/server/log.ts'
import { startServer } from '../src/server/start-server.ts'
import {
  planByFingerprint,
  repositoryId,
  sampleEvent,
  sampleFinding,
  sampleReview,
  sampleSession,
  triageOnce,
} from '../test/fixtures/store/samples.ts'

const [home = '', token = '', count = ''] = process.argv.slice(2)
const onError = (error: unknown): void => console.error(error)
const serving = await openServing({ env: { FIXPOINT_HOME: home }, onError })
const { store, feeds } = serving
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
const server = await startServer({
  serving,
  token,
  host: '127.0.0.1',
  port: 0,
  version: 'bench',
  log: createLog('error'),
})
console.log(server.url)
const lines = createInterface({ input: process.stdin })
await once(lines, 'line')
for (let written = 2; written < Number(count); written += 1)
  await write(sampleEvent(session.id, { message: `event ${written}` }))
await write(sampleEvent(session.id, { type: 'fix_session_completed', message: 'the end' }))
await once(lines, 'line')
const { maxRSS } = process.resourceUsage()
const { user, system } = process.cpuUsage()
console.log(JSON.stringify({ peakMb: maxRSS / 1_000, cpuMs: (user + system) / 1_000 }))
await server.stop(0)
lines.close()

async function write(event: ReturnType<typeof sampleEvent>): Promise<void> {
  const events = await store.sessions.record({ sessionId: session.id, owner: 'one', events: [event] })
  events.forEach(feeds.publish)
}
