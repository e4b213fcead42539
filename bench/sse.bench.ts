import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'
import { makeFolder } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'

export const title = 'A session of 1,000 events, followed by 1,000 clients at once'

const CLIENTS = 1_000
const EVENTS = 1_000
const TOKEN = 'a-token-for-the-bench'
const connectionsAtOnce = 50

export async function run(): Promise<readonly Figure[]> {
  const { folder, env, dispose } = makeFolder()
  const script = fileURLToPath(new URL('./event-server.ts', import.meta.url))
  const child = spawn(process.execPath, [script, folder, TOKEN, String(EVENTS)], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const { port } = new URL((await lines.next()).value as string)
    const clients: Client[] = []
    while (clients.length < CLIENTS)
      clients.push(
        ...(await Promise.all(Array.from({ length: connectionsAtOnce }, () => follow(Number(port))))),
      )
    const startedAt = performance.now()
    child.stdin.write('go\n')
    await Promise.all(clients.map(({ done }) => done))
    const durationMs = performance.now() - startedAt
    child.stdin.write('tell\n')
    const { peakMb } = JSON.parse((await lines.next()).value as string) as { peakMb: number }
    const wrong = clients.filter(({ last, isBroken }) => isBroken() || last() !== EVENTS).length
    if (wrong > 0) throw new Error(`${wrong} clients lack an event or have one twice`)
    return [
      { name: 'until every client has every event', value: durationMs, limit: 5_000, unit: 'ms' },
      { name: 'memory of the server', value: peakMb, limit: 250, unit: 'MB' },
    ]
  } finally {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
    dispose()
  }
}

interface Client {
  readonly last: () => number
  /** Set when an event came out of order. */
  readonly isBroken: () => boolean
  readonly done: Promise<void>
}

/** Follows the session over a bare socket, and reads only the numbers of the events. */
async function follow(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('latin1')
  socket.write(
    `GET /api/sessions/ses_1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
  )
  let last = 0
  let isBroken = false
  let rest = ''
  const first = Promise.withResolvers<void>()
  socket.on('data', (chunk: string) => {
    const text = rest + chunk
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    for (let at = text.indexOf('id: '); at >= 0 && at < end; at = text.indexOf('\nid: ', at + 1)) {
      const seq = Number.parseInt(text.slice(text.indexOf(': ', at) + 2, at + 16), 10)
      isBroken ||= seq !== last + 1
      last = seq
    }
    if (last > 0) first.resolve()
    if (last >= EVENTS) socket.destroy()
  })
  const done = Promise.withResolvers<void>()
  socket.once('close', done.resolve)
  await first.promise
  return { last: () => last, isBroken: () => isBroken, done: done.promise }
}
