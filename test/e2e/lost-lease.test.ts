import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createRunMark } from '../../src/adapters/process/run-mark.ts'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { beginSession } from '../../src/app/fix/fix-issues.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { runCancellable } from '../../src/app/fix/run-cancellable.ts'
import { clock } from '../../src/app/machine.ts'
import { importFindings } from '../../src/app/review/import-findings.ts'
import { workOnLease } from '../../src/app/worker/work-on-lease.ts'
import { createInProcessQueue } from '../../src/adapters/queue/in-process-queue.ts'
import { runAttempt } from '../../src/loop/attempt/run-attempt.ts'
import type { Hands } from '../../src/loop/context/session-context.ts'
import { createSharedHands } from '../../src/loop/session/hand-out.ts'
import { isSettled } from '../../src/model/attempt/attempt.ts'
import { createSlots } from '../../src/loop/context/slots.ts'
import { createVerifier } from '../../src/loop/proof/verify.ts'
import { nothingSpent } from '../../src/model/attempt/spending.ts'
import { progressOfAttempt } from '../../src/model/session/attempt-lease.ts'
import { envOf } from '../fixtures/command-line.ts'
import { makeFiveIssues, type FiveIssues } from '../fixtures/recovery/five-issues.ts'

/** A process of this machine that cannot be alive, because no process has so high a number. */
const deadOwner = createRunMark('/home').replace(/^([^:]+):\d+/, '$1:99999999')

const never = new AbortController().signal
let scene: FiveIssues
let app: App
afterEach(async () => {
  await app.close()
  scene.dispose()
})

/** A session that this process drives. */
async function begin() {
  scene = makeFiveIssues()
  app = await openApp({ cwd: scene.root, env: envOf(scene, { FIXPOINT_SANDBOX: 'off' }) })
  await importFindings(app, { file: scene.findings, format: null, stdin: process.stdin })
  const owner = createRunMark(scene.home)
  const { stored } = await beginSession(app, { issues: await chooseIssues(app, { all: true }) }, owner)
  return { stored, owner }
}

/** A lease of its first attempt that this process has taken. */
async function takeFirst() {
  const { stored, owner } = await begin()
  const { session, attempts } = stored
  const [attempt] = attempts
  if (!attempt) throw new Error('there is no attempt')
  const lease = {
    share_usd: null,
    wish: 'go_on',
    spent_before: nothingSpent,
    spent: nothingSpent,
    deaths: 0,
    progress: progressOfAttempt(attempt),
    ended: null,
  } as const
  const offered = await app.store.leases.offer({ sessionId: session.id, attemptId: attempt.id, owner, lease })
  const taken = await app.store.leases.take(offered, owner)
  if (!taken) throw new Error('the lease was not given')
  return taken
}

it('a worker whose database goes away just as it begins with an attempt does not go on looking at its lease', async () => {
  const taken = await takeFirst()
  let looks = 0
  const { leases } = app.store
  const read: typeof leases.read = (id) => {
    looks += 1
    return leases.read(id)
  }
  // The lease can be read, and the issues cannot.
  const gone = await openApp({ cwd: scene.root, env: envOf(scene) })
  const ports = await gone.ports()
  await gone.close()
  const room = {
    app: { ...app, store: { ...app.store, leases: { ...leases, read } } },
    ports,
    verifier: createVerifier({ ...ports, ...taken.session.options, base: taken.session.base }),
    slots: createSlots(1),
  }
  await expect(workOnLease(taken, room, { stopStarting: never, endNow: never })).rejects.toThrow('destroyed')
  expect(looks).toBe(1)
  await setTimeout(1_200)
  expect(looks).toBe(1)
})

it('an attempt that three workers in a row did not survive is set aside with the reason, and the others go on', async () => {
  const { stored } = await begin()
  const { id, status } = stored.session
  const [first] = stored.attempts
  expect(status).toBe('running')
  const queue = createInProcessQueue({
    onError: (error) => {
      throw error
    },
  })
  const { leases } = app.store
  let taken = 0
  await queue.work({
    kind: 'attempts',
    atOnce: 1,
    async handle({ sessionId, attemptId }) {
      const found = attemptId && (await leases.read(attemptId))
      if (found && (await leases.take({ sessionId, attemptId, number: found.number }, deadOwner))) taken += 1
    },
  })
  const shared = createSharedHands(
    {
      leases,
      queue,
      watch: () => () => undefined,
      isGone: async (owner) => owner === deadOwner,
      endRunsOf: async () => undefined,
      bring: async () => undefined,
      isLeaving: () => false,
      clock,
    },
    id,
  )
  const hands: Hands = {
    ...shared,
    work: (attempt, context) =>
      attempt.id === first?.id ? shared.work(attempt, context) : runAttempt(attempt, context),
  }
  const { session, attempts } = await runCancellable(app, stored, {
    stopStarting: never,
    endNow: never,
    hands,
  })
  shared.close()
  await queue.close()
  const reason = '3 workers in a row ended while they worked on it (queued, 0 rounds)'
  expect([taken, session.status]).toEqual([3, 'partial'])
  expect(attempts[0]).toMatchObject({ stage: 'settled', outcome: 'not_evaluated', reason })
  const outcomes = attempts.slice(1).map((attempt) => (isSettled(attempt) ? attempt.outcome : attempt.stage))
  expect(outcomes.toSorted()).toEqual(['fixed', 'fixed', 'fixed', 'refused'])
  const told = (await app.store.sessions.events(id, 0, 1_000)).map(({ message }) => message)
  expect(told).toContainEqual(expect.stringContaining(reason))
})
