import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createRunMark } from '../../src/adapters/process/run-mark.ts'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { beginSession } from '../../src/app/fix/fix-issues.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { importFindings } from '../../src/app/review/import-findings.ts'
import { workOnLease } from '../../src/app/worker/work-on-lease.ts'
import { createSlots } from '../../src/loop/context/slots.ts'
import { createVerifier } from '../../src/loop/proof/verify.ts'
import { nothingSpent } from '../../src/model/attempt/spending.ts'
import { progressOfAttempt } from '../../src/model/session/attempt-lease.ts'
import { envOf } from '../fixtures/command-line.ts'
import { makeFiveIssues, type FiveIssues } from '../fixtures/recovery/five-issues.ts'

const never = new AbortController().signal
let scene: FiveIssues
let app: App
afterEach(async () => {
  await app.close()
  scene.dispose()
})

/** A session that this process drives, and a lease of its first attempt that this process has taken. */
async function takeFirst() {
  scene = makeFiveIssues()
  app = await openApp({ cwd: scene.root, env: envOf(scene) })
  await importFindings(app, { file: scene.findings, format: null, stdin: process.stdin })
  const owner = createRunMark(scene.home)
  const { stored } = await beginSession(app, { issues: await chooseIssues(app, { all: true }) }, owner)
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
