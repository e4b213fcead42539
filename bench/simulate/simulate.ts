import { createInProcessQueue } from '../../src/adapters/queue/in-process-queue.ts'
import { sendSession } from '../../src/app/worker/due-sessions.ts'
import { createSlots } from '../../src/loop/context/slots.ts'
import { nextMoves } from '../../src/loop/session/schedule.ts'
import type { Queue, SessionHead } from '../../src/loop/ports.ts'
import type { Attempt } from '../../src/model/attempt/attempt.ts'
import { AttemptId, RepositoryId, SessionId } from '../../src/model/id.ts'
import type { SessionOptions } from '../../src/model/session/session.ts'
import { createVirtualTime, type VirtualTime } from './virtual-time.ts'

export interface World {
  readonly repositories: number
  readonly workers: number
  readonly issues: number
  readonly issuesPerSession: number
  readonly perWorker: number
  readonly perRepository: number
  /** The most attempts of one session at once. */
  readonly concurrency: number
  /** The median times of agents and checks. */
  readonly agentMs: number
  readonly checkMs: number
}

export interface Outcome {
  readonly sessions: number
  readonly attempts: number
  readonly virtualMs: number
  /** What happened while at least as many sessions waited as there are places: from then on there is not work for all. */
  readonly busy: {
    readonly ms: number
    readonly sessions: number
    /** Sessions that were driven at the same time, on average. */
    readonly meanRunning: number
  }
  readonly mostRunning: number
  /** How long sessions waited until somebody drove them. */
  readonly waitsMs: readonly number[]
  /** How many sessions each repository had completed when half of all sessions were completed: the least and the most. */
  readonly fairness: { readonly least: number; readonly most: number }
  readonly handOuts: number
}

interface SimulatedSession {
  readonly id: SessionId
  readonly repository: number
  readonly number: number
  state: 'pending' | 'running' | 'over'
}

/** Lets the real queue, the real turns and the real scheduler of attempts work through a world in virtual time. */
export async function simulate(world: World): Promise<Outcome> {
  const time = createVirtualTime()
  const dice = createDice(7)
  const queue = createInProcessQueue({
    onError: (error) => {
      throw error
    },
  })
  const sessions = makeSessions(world)
  const byId = new Map(sessions.map((session) => [session.id, session]))
  const ofRepository = Map.groupBy(sessions, ({ repository }) => repository)
  const send = (session: SimulatedSession): Promise<void> =>
    sendSession(partsOf(queue, ofRepository), {
      id: session.id,
      repository_id: repositoryId(session.repository),
    })
  const runningOf = new Map<number, number>()
  const seen = { running: 0, most: 0, areaMs: 0, lastMs: 0, over: 0, handOuts: 0 }
  const waitsMs: number[] = []
  const done = new Map<number, number>()
  let fairness = { least: 0, most: 0 }
  let busy: Outcome['busy'] | null = null
  const note = (change: 1 | -1): void => {
    seen.areaMs += seen.running * (time.now() - seen.lastMs)
    seen.lastMs = time.now()
    seen.running += change
    seen.most = Math.max(seen.most, seen.running)
  }
  const handle = async (id: SessionId): Promise<void> => {
    const session = byId.get(id)
    seen.handOuts += 1
    const atOnce = runningOf.get(session?.repository ?? -1) ?? 0
    // A worker does the same: a session without a place in its repository stays pending, and is told when a place is free.
    if (session?.state !== 'pending' || atOnce >= world.perRepository) return
    session.state = 'running'
    runningOf.set(session.repository, atOnce + 1)
    waitsMs.push(time.now())
    note(1)
    if (sessions.length - waitsMs.length < world.workers * world.perWorker)
      busy ??= { ms: time.now(), sessions: seen.over, meanRunning: seen.areaMs / Math.max(1, time.now()) }
    await driveSession(world, time, dice)
    note(-1)
    session.state = 'over'
    seen.over += 1
    done.set(session.repository, (done.get(session.repository) ?? 0) + 1)
    if (seen.over === Math.floor(sessions.length / 2)) fairness = spread(done, world.repositories)
    runningOf.set(session.repository, (runningOf.get(session.repository) ?? 1) - 1)
    const waiting = (ofRepository.get(session.repository) ?? []).filter(({ state }) => state === 'pending')
    for (const next of waiting.slice(0, world.perRepository)) await send(next)
  }
  for (const session of sessions) await send(session)
  for (let worker = 0; worker < world.workers; worker += 1)
    await queue.work({
      kind: 'sessions',
      atOnce: world.perWorker,
      handle: ({ sessionId }) => handle(sessionId),
    })
  await time.run()
  await queue.close()
  return {
    sessions: seen.over,
    attempts: seen.over * world.issuesPerSession,
    virtualMs: time.now(),
    busy: busy ?? { ms: 0, sessions: 0, meanRunning: 0 },
    mostRunning: seen.most,
    waitsMs: waitsMs.toSorted((a, b) => a - b),
    fairness,
    handOuts: seen.handOuts,
  }
}

const repositoryId = (number: number): RepositoryId => RepositoryId.parse(`rep_${number}`)

/** Gives half of the issues to a tenth of the repositories, as in reality. */
function makeSessions({ issues, issuesPerSession, repositories }: World): readonly SimulatedSession[] {
  const count = Math.ceil(issues / issuesPerSession)
  const busy = Math.max(1, Math.floor(repositories / 10))
  return Array.from({ length: count }, (_, number) => ({
    id: SessionId.parse(`ses_${String(number).padStart(8, '0')}`),
    number,
    repository: number % 2 === 0 ? (number / 2) % busy : ((number - 1) / 2) % repositories,
    state: 'pending',
  }))
}

/** The parts that `sendSession` reads; their store lists the earlier sessions of the repository that are not over. */
function partsOf(
  queue: Queue,
  ofRepository: ReadonlyMap<number, readonly SimulatedSession[]>,
): Parameters<typeof sendSession>[0] {
  const heads = async ({ repositoryId: id, before }: { repositoryId?: string; before?: string }) => {
    const all = ofRepository.get(Number(id?.slice('rep_'.length))) ?? []
    return all.filter((one) => one.state !== 'over' && one.id < (before ?? '')) as unknown as SessionHead[]
  }
  return { queue, store: { sessions: { heads }, isOwnerAlive: null } as never }
}

const spread = (done: ReadonlyMap<number, number>, repositories: number): Outcome['fairness'] => {
  const counts = Array.from({ length: repositories }, (_, number) => done.get(number) ?? 0)
  return { least: Math.min(...counts), most: Math.max(...counts) }
}

type Dice = (middle: number) => number

/** Makes random numbers around a middle, some of them many times larger; every run gets the same ones. */
function createDice(seed: number): Dice {
  let state = seed
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 1) / (2 ** 32 + 1)
  }
  return (middle) =>
    middle * Math.exp(0.6 * Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next()))
}

/** Drives one session: the scheduler starts attempts, agents take places, and trains land the accepted patches. */
async function driveSession(world: World, time: VirtualTime, dice: Dice): Promise<void> {
  const options = { strategy: 'isolated', concurrency: world.concurrency } as SessionOptions
  const slots = createSlots(world.concurrency)
  // A signal of its own: whoever waits is a listener of it, and to add one, all of them are compared.
  const never = new AbortController().signal
  const tip = { tree: 'tip' } as unknown as Parameters<typeof nextMoves>[0]['tip']
  let attempts = Array.from({ length: world.issuesPerSession }, (_, position) => queuedAttempt(position))
  const running = new Map<AttemptId, Promise<void>>()
  let landing: Promise<void> | null = null
  const move = (ids: ReadonlySet<string>, stage: 'accepted' | 'settled'): void => {
    attempts = attempts.map((one) => (ids.has(one.id) ? ({ ...one, stage } as Attempt) : one))
  }
  const attempt = async (id: AttemptId): Promise<void> => {
    await slots.run(never, () => time.sleep(dice(world.agentMs)))
    await time.sleep(dice(world.checkMs))
    move(new Set([id]), 'accepted')
    running.delete(id)
  }
  const land = async (ids: ReadonlySet<string>): Promise<void> => {
    await time.sleep(dice(world.checkMs))
    move(ids, 'settled')
    landing = null
  }
  for (;;) {
    const moment = {
      attempts,
      running: new Set(running.keys()),
      isLanding: landing !== null,
      tip,
      options,
      isHalted: false,
    }
    const { start, train } = nextMoves(moment, new Map())
    for (const { id } of start) running.set(id, attempt(id))
    if (train.length > 0) landing = land(new Set(train.map(({ id }) => id)))
    if (running.size === 0 && landing === null) return
    await Promise.race([...running.values(), ...(landing === null ? [] : [landing])])
  }
}

const queuedAttempt = (position: number): Attempt =>
  ({
    stage: 'queued',
    id: AttemptId.parse(`att_${position}`),
    after: [],
    position,
    patch: { base_tree: 'base' },
    verification: { status: 'passed', commands: [] },
  }) as unknown as Attempt
