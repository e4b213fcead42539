import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRunMark } from '../../src/adapters/process/run-mark.ts'
import { keyOfEntry } from '../../src/adapters/queue/queue-entry.ts'
import { createInProcessQueue } from '../../src/adapters/queue/in-process-queue.ts'
import { openSqliteStore, type Store } from '../../src/adapters/store/index.ts'
import { recover } from '../../src/app/recover.ts'
import { createLostSender, sendDue } from '../../src/app/worker/due-sessions.ts'
import { createRunningSessions } from '../../src/app/worker/running-sessions.ts'
import { startSessionWorker } from '../../src/app/worker/session-worker.ts'
import type { Queue } from '../../src/loop/ports.ts'
import { Fault } from '../../src/model/fault.ts'
import type { Session } from '../../src/model/session/session.ts'
import { makeFolder } from '../fixtures/repositories.ts'
import { repositoryId, sampleSession } from '../fixtures/store/samples.ts'

let place: ReturnType<typeof makeFolder>
let store: Store
let queue: Queue
let opened: number
const errors: unknown[] = []

beforeEach(async () => {
  place = makeFolder()
  errors.length = opened = 0
  store = await openSqliteStore({ file: join(place.folder, 'fixpoint.db'), now: Date.now })
  await store.repositories.ensure({ key: 'one', path: '/nowhere', newId: repositoryId })
  queue = createInProcessQueue({ onError: (error) => errors.push(error) })
})
afterEach(async () => {
  await queue.close()
  await store.close()
  place.dispose()
})

/** A process of this machine that cannot be alive, because no process has so high a number. */
const deadOwner = createRunMark('/home').replace(/^([^:]+):\d+/, '$1:99999999')

/** Works on the due jobs in a process that cannot open the repository. */
async function workOn(given: Partial<Session>, handBacks: number): Promise<Session | undefined> {
  const session = { ...sampleSession('ses_due', []), ...given }
  await store.sessions.create({ session, attempts: [], events: [] })
  const worker = await startSessionWorker(
    {
      home: place.folder,
      store,
      queue,
      running: createRunningSessions((error) => errors.push(error)),
      openFor: async () => {
        opened += 1
        throw new Fault('not_a_repository', '/nowhere is not a folder')
      },
      publish: () => undefined,
      onError: () => undefined,
      handBacks,
      perRepository: 4,
    },
    1,
  )
  await sendDue({ store, queue, perRepository: 4 })
  const read = async (): Promise<Session | undefined> => (await store.sessions.load(session.id))?.session
  await expect.poll(async () => (await read())?.status, { timeout: 200_000 }).toBe('parked')
  await worker.stop()
  expect(errors).toEqual([])
  return read()
}

it('a session that three processes in a row did not survive is set aside with the reason', async () => {
  const session = await workOn({ owner: deadOwner, takeovers: { count: 3, progress: '0 round' } }, 0)
  expect(opened).toBe(0)
  expect(session).toMatchObject({
    owner: null,
    halt: {
      kind: 'worker',
      reason: '3 processes in a row ended while they worked on it (0 round)',
      until: null,
    },
  })
  // Nobody takes it up again by itself; a person who resumes it starts the count anew.
  await sendDue({ store, queue, perRepository: 4 })
  expect(await queue.depth('sessions')).toBe(0)
  if (!session) throw new Error('there is no session')
  const resumed = await store.sessions.take(session.id, {
    expectedOwner: null,
    owner: createRunMark(place.folder),
  })
  expect(resumed.session.takeovers).toBeNull()
})

it('a session that got further in the meantime goes on, however often its process ended', async () => {
  await workOn({ owner: deadOwner, takeovers: { count: 3, progress: '1 fixing' } }, 0)
  expect(opened).toBe(1)
})

it('a session that no process can begin is handed on a few times, then set aside with the reason', async () => {
  const session = await workOn({ owner: null, status: 'pending' }, 1)
  expect(opened).toBe(2)
  expect(session?.reason).toContain('worker: it could not go on: /nowhere is not a folder')
})

it('a session waits while its repository has as many as it may, and is told when one of them ends', async () => {
  const running = createRunningSessions((error) => errors.push(error))
  const begun: string[] = []
  const here = createRunMark(place.folder)
  const busy = { ...sampleSession('ses_busy', []), owner: here }
  const waits = { ...sampleSession('ses_waits', []), status: 'pending' as const, owner: null }
  for (const session of [busy, waits]) await store.sessions.create({ session, attempts: [], events: [] })
  const parts = {
    home: place.folder,
    store,
    queue,
    running: { ...running, has: (id: string) => id === busy.id },
    openFor: async ({ id }: Session) => {
      begun.push(id)
      throw new Fault('busy', 'nothing is opened here')
    },
    publish: () => undefined,
    onError: () => undefined,
    handBacks: 0,
  }
  const worker = await startSessionWorker({ ...parts, perRepository: 1 }, 4)
  await sendDue({ store, queue, perRepository: 4 })
  await expect.poll(() => queue.depth('sessions')).toBe(0)
  expect(begun).toEqual([])
  await worker.stop()
  const roomy = await startSessionWorker({ ...parts, perRepository: 2 }, 4)
  await sendDue({ store, queue, perRepository: 4 })
  await expect.poll(() => begun).toEqual([waits.id])
  await roomy.stop()
})

it('a session that this process owns without driving it is found after a while, and begun again', async () => {
  const lost = { ...sampleSession('ses_lost', []), owner: createRunMark(place.folder) }
  await store.sessions.create({ session: lost, attempts: [], events: [] })
  const running = createRunningSessions((error) => errors.push(error))
  const look = createLostSender({ store, queue }, running)
  await look()
  expect(await queue.depth('sessions')).toBe(0)
  await look()
  expect(await queue.depth('sessions')).toBe(1)
  const begun: string[] = []
  const worker = await startSessionWorker(
    {
      home: place.folder,
      store,
      queue,
      running,
      openFor: async ({ id }) => {
        begun.push(id)
        throw new Fault('not_a_repository', '/nowhere is not a folder')
      },
      publish: () => undefined,
      onError: () => undefined,
      handBacks: 0,
      perRepository: 4,
    },
    1,
  )
  await expect.poll(() => begun).toEqual([lost.id])
  await expect.poll(async () => (await store.sessions.load(lost.id))?.session.status).toBe('parked')
  await worker.stop()
})

it('sessions that wait are told from their columns, once each, and only as many as their repository has places for', async () => {
  const waits = { status: 'pending', owner: null } as const
  const quota = (until: string | null) =>
    ({ status: 'parked', owner: null, halt: { kind: 'quota', reason: 'why', until } }) as const
  const given = {
    ses_1: { owner: createRunMark(place.folder) },
    ses_2: waits,
    ses_3: quota(null),
    ses_4: quota('2030-01-01T00:00:00.000Z'),
    ses_5: quota('2020-01-01T00:00:00.000Z'),
    ses_6: waits,
    ses_7: waits,
  } satisfies Record<string, Partial<Session>>
  for (const [id, own] of Object.entries(given))
    await store.sessions.create({ session: { ...sampleSession(id, []), ...own }, attempts: [], events: [] })
  const [loaded, sent]: [string[], string[]] = [[], []]
  const sessions: Store['sessions'] = {
    ...store.sessions,
    load: (id) => (loaded.push(id), store.sessions.load(id)),
  }
  const watched: Pick<Queue, 'send' | 'waiting'> = {
    waiting: queue.waiting,
    send: (job, terms) => (sent.push(`${keyOfEntry(job)} ${terms?.turn}`), queue.send(job, terms)),
  }
  const sendNow = () => sendDue({ store: { ...store, sessions }, queue: watched, perRepository: 4 })
  await sendNow()
  expect([loaded, sent]).toEqual([
    ['ses_4', 'ses_5'],
    ['ses_2 1', 'ses_5 2', 'ses_6 2'],
  ])
  await sendNow()
  expect(sent).toHaveLength(3)
})

it('what is done before every session asks nothing of the other repositories', async () => {
  const nobody = (): never => {
    throw new Error('a database may have ten thousand of them')
  }
  const alone = { ...store, repositories: { ...store.repositories, list: nobody } }
  const repository = await store.repositories.get(repositoryId)
  if (!repository) throw new Error('there is no repository')
  await expect(recover({ home: place.folder, store: alone, repository })).resolves.toMatchObject({
    processes: [],
  })
})
