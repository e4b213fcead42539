import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numbered, repositoryId, sampleAttempt, sampleSession } from '../fixtures/store/samples.ts'
import { setScene, type TestDatabase } from './store-scene.ts'

const folder = mkdtempSync(join(tmpdir(), 'fixpoint-writer-'))
const writer = join(folder, 'writer.mjs')

/** One file instead of hundreds, so that twenty processes start at nearly the same time. */
const bundleWriter = () =>
  build({
    entryPoints: [join(import.meta.dirname, '../fixtures/store/writer.ts')],
    outfile: writer,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // The driver of PostgreSQL is no ES module.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    external: ['pg-native'],
  })

interface Writer {
  readonly child: ChildProcess
  /** The line that the writer printed after it was released. */
  readonly answer: Promise<{ done?: unknown; refused?: string; message?: string } | null>
  go(): void
}

async function startWriter(address: string, args: readonly string[]): Promise<Writer> {
  const child = spawn(process.execPath, [writer, address, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ready = await lines.next()
  if (ready.value !== 'ready') throw new Error(`the writer said ${String(ready.value)}`)
  return {
    child,
    answer: lines.next().then((line) => (line.done === true ? null : JSON.parse(line.value))),
    go: () => child.stdin.write('go\n'),
  }
}

/** Starts one writer per argument list, releases all at the same moment and gives their answers. */
async function race(address: string, argumentLists: readonly (readonly string[])[]) {
  const writers = await Promise.all(argumentLists.map((args) => startWriter(address, args)))
  for (const each of writers) each.go()
  return Promise.all(writers.map((each) => each.answer))
}

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))

export function describeProcesses(makeDatabase: () => Promise<TestDatabase>): void {
  beforeAll(async () => {
    await bundleWriter()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  describe('several processes on one database', () => {
    const scene = setScene(makeDatabase)

    it('import the same report at once: no issue is doubled and every code is unique', async () => {
      const answers = await race(
        scene.database.address,
        times(3, (index) => ['import', `p${index}`, '400']),
      )
      const codes = answers.flatMap((answer) => answer?.done as string[])
      expect(codes.toSorted()).toEqual(
        times(400, (index) => `BE-${String(index + 1).padStart(3, '0')}`).toSorted(),
      )
      const { issues } = await scene.store.issues.list({ repositoryId, limit: 1_000 })
      expect(new Set(issues.map((issue) => issue.fingerprint)).size).toBe(400)
      expect(issues).toHaveLength(400)
    })

    it('start a session on the same issue: exactly one of twenty wins', async () => {
      const issue = await scene.issue()
      const answers = await race(
        scene.database.address,
        times(20, (index) => ['claim', `claim${index}`, issue.id]),
      )
      const winners = answers.filter((answer) => answer?.done)
      expect(winners).toHaveLength(1)
      const losers = answers.filter((answer) => answer?.refused === 'busy')
      expect(losers).toHaveLength(19)
      for (const loser of losers) expect(loser?.message).toContain(String(winners[0]?.done))
      const [claimed] = await scene.store.issues.get([issue.id])
      expect(claimed?.fix_session_id).toBe(winners[0]?.done)
    })

    it('take over the same session: exactly one wins', async () => {
      await scene.store.sessions.create({
        session: sampleSession('ses_contested', []),
        attempts: [],
        events: [],
      })
      const answers = await race(
        scene.database.address,
        times(6, (index) => ['take', `t${index}`, 'ses_contested']),
      )
      expect(answers.filter((answer) => answer?.done)).toHaveLength(1)
      expect(answers.filter((answer) => answer?.refused === 'busy')).toHaveLength(5)
    })

    it('find the same repository', async () => {
      const answers = await race(
        scene.database.address,
        times(6, (index) => ['ensure', `e${index}`]),
      )
      expect(new Set(answers.map((answer) => answer?.done)).size).toBe(1)
    })

    it('write events of one session at once: the sequence has no gap and no double', async () => {
      const session = sampleSession('ses_busy', [])
      await scene.store.sessions.create({ session, attempts: [], events: [] })
      await race(
        scene.database.address,
        times(4, () => ['append', session.id, '50']),
      )
      const events = await scene.store.sessions.events(session.id, 0)
      expect(events.map((event) => event.seq)).toEqual(times(400, (index) => index + 1))
      expect((await scene.store.sessions.events(session.id, 398)).map((event) => event.seq)).toEqual([
        399, 400,
      ])
    })

    it('open an empty database at once: the tables are made once', async () => {
      const empty = await makeDatabase()
      const answers = await race(
        empty.address,
        times(8, () => ['open']),
      )
      expect(answers).toEqual(times(8, () => ({ done: [] })))
      await empty.remove()
    })
  })

  describe('a process that is killed while it writes', () => {
    const scene = setScene(makeDatabase)

    it('leaves whole steps only, and the next one goes on from there', async () => {
      const issue = await scene.issue()
      const session = sampleSession('ses_killed', [issue.id])
      await scene.store.sessions.create({
        session,
        attempts: [sampleAttempt('att_killed', session, issue)],
        events: [],
      })
      let count = 0
      for (const round of times(6, (index) => index)) {
        const each = await startWriter(scene.database.address, ['count', session.id, issue.id])
        const ended = once(each.child, 'exit')
        each.go()
        while ((await scene.store.sessions.load(session.id))?.session.verifications_run === count)
          await setTimeout(1)
        await setTimeout(round * 7)
        each.child.kill('SIGKILL')
        await ended

        const reopened = await scene.database.open(Date.now)
        const stored = await reopened.sessions.load(session.id)
        const events = await reopened.sessions.events(session.id, 0)
        const [claimed] = await reopened.issues.get([issue.id])
        await reopened.close()
        const before = count
        count = stored?.session.verifications_run ?? 0
        expect(count).toBeGreaterThan(before)
        expect(events.map((event) => event.seq)).toEqual(times(2 * count, (index) => index + 1))
        expect(events.at(-1)?.details).toEqual({ count })
        expect(stored?.attempts.map((attempt) => attempt.deferrals)).toEqual([count])
        expect(claimed?.fix_self_score).toBe(count)
        expect(await scene.database.integrity()).toEqual([])
      }
    })

    it('leaves nothing of an import that was not finished', async () => {
      const each = await startWriter(scene.database.address, ['import', 'big', '20000'])
      const ended = once(each.child, 'exit')
      each.go()
      await setTimeout(400)
      each.child.kill('SIGKILL')
      await ended
      const reviews = await scene.store.reviews.list(repositoryId, 10)
      const finished = reviews.some((review) => review.id === 'rev_big')
      const { issues } = await scene.store.issues.list({ repositoryId, limit: 1_000, text: 'value7' })
      expect(issues.length > 1).toBe(finished)
      expect(await scene.database.integrity()).toEqual([])
      expect((await scene.issue()).id).toMatch(numbered('iss', 0).slice(0, 8))
    })
  })
}
