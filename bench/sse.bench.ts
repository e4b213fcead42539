import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { makeFolder } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { buildIfStale, cli } from './run-node.ts'

export const title =
  'A session of 1,000 events, written by another process, followed by 1,000 clients of `fixpoint serve`'

const CLIENTS = 1_000
const EVENTS = 1_000
const TOKEN = 'a-token-for-the-bench-of-many-clients'
const connectionsAtOnce = 50

export async function run(): Promise<readonly Figure[]> {
  await buildIfStale()
  const { folder, env, dispose } = makeFolder()
  const started: ChildProcess[] = []
  const start = async (args: readonly string[], more: Readonly<Record<string, string>>) => {
    const child = spawn(process.execPath, args, {
      env: { ...env, ...more },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    started.push(child)
    const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    return { child, said: String(first.value) }
  }
  try {
    const writer = await start([join(import.meta.dirname, 'event-writer.ts'), folder, String(EVENTS)], {})
    const server = await start([cli, 'serve', '--port', '0'], {
      FIXPOINT_HOME: folder,
      FIXPOINT_TOKEN: TOKEN,
    })
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(server.said)?.[1])
    const clients: Client[] = []
    while (clients.length < CLIENTS)
      clients.push(...(await Promise.all(Array.from({ length: connectionsAtOnce }, () => follow(port)))))
    const startedAt = performance.now()
    writer.child.stdin.write('go\n')
    await Promise.all(clients.map(({ done }) => done))
    const durationMs = performance.now() - startedAt
    const wrong = clients.filter(({ last, isBroken }) => isBroken() || last() !== EVENTS).length
    if (wrong > 0) throw new Error(`${wrong} clients lack an event or have one twice`)
    return [
      { name: 'until every client has every event', value: durationMs, limit: 5_000, unit: 'ms' },
      { name: 'memory of the server', value: peakMb(server.child), limit: 200, unit: 'MB' },
    ]
  } finally {
    for (const child of started) {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    dispose()
  }
}

/** The most memory that a process has had; it still runs. */
function peakMb({ pid }: ChildProcess): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kilobytes) * 1024) / 1e6
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
