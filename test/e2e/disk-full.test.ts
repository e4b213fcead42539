import { afterEach, describe, expect, it } from 'vitest'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { importFindings } from '../../src/app/review/import-findings.ts'
import type { Ports } from '../../src/loop/ports.ts'
import { Fault } from '../../src/model/fault.ts'
import { envOf } from '../fixtures/command-line.ts'
import { makeFiveIssues, type FiveIssues } from '../fixtures/recovery/five-issues.ts'
import { findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { readOwn, readRows } from '../fixtures/recovery/read-state.ts'

const never = new AbortController().signal
const signals = { stopStarting: never, endNow: never }

let scene: FiveIssues
let app: App
afterEach(async () => {
  await app.close()
  scene.dispose()
})

async function openScene() {
  scene = makeFiveIssues()
  const own = readOwn(scene)
  app = await openApp({ cwd: scene.root, env: envOf(scene) })
  await importFindings(app, { file: scene.findings, format: null, stdin: process.stdin })
  return { own, place: { root: scene.root, home: scene.home, env: envOf(scene) } }
}

const noRoom = (): Error =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

/** Makes one method of a port fail with a full disk while `isFull`, from its n-th call on. */
function fill(port: object, name: string, { from, error = noRoom }: { from: number; error?: () => Error }) {
  const methods = port as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
  const whole = methods[name]
  if (!whole) throw new Error(`there is no ${name}`)
  const disk = { isFull: true }
  let calls = 0
  methods[name] = async (...args) => {
    calls += 1
    if (disk.isFull && calls >= from) throw error()
    return whole(...args)
  }
  return disk
}

const places: readonly { where: string; port: (ports: Ports) => object; name: string; from: number }[] = [
  { where: 'an artifact', port: ({ artifacts }) => artifacts, name: 'write', from: 5 },
  { where: 'a workspace', port: ({ workspaces }) => workspaces, name: 'open', from: 4 },
  { where: 'a captured tree', port: ({ workspaces }) => workspaces, name: 'capture', from: 2 },
  { where: 'a commit', port: ({ composer }) => composer, name: 'commit', from: 2 },
  { where: 'the branch', port: ({ branches }) => branches, name: 'move', from: 1 },
  { where: 'a note', port: ({ branches }) => branches, name: 'note', from: 2 },
]

describe('a disk that is full', { timeout: 600_000 }, () => {
  it.each(places)(
    'when $where is written parks the session, which goes on when there is room',
    async ({ port, name, from }) => {
      const { own, place } = await openScene()
      const disk = fill(port(await app.ports()), name, { from })
      const parked = await fixIssues(app, { issues: await chooseIssues(app, { all: true }) }, signals)
      expect([parked.exitCode, parked.result]).toEqual([
        75,
        expect.objectContaining({
          status: 'parked',
          resumable: true,
          reason: expect.stringMatching(/^disk: the disk is full/),
        }),
      ])
      // No issue is given up because of the full disk.
      expect(readRows(place).issues.filter(({ status }) => status === 'open')).toEqual([])

      disk.isFull = false
      const { result } = await resumeSession(app, parked.result.session_id, signals)
      expect(result).toMatchObject({ status: 'partial', issues_fixed: 4, issues_failed: 1 })
      expect(landedOn(place, result.base_commit, result.branch_name ?? '')).toHaveLength(4)
      expect(findViolations(place, { own }).join('\n')).toBe('')
    },
  )

  it('when the database is written is told as such; what is stored is enough to go on', async () => {
    const { own, place } = await openScene()
    const full = () => new Fault('disk_full', 'The database could not be written because the disk is full')
    const disk = fill(app.store.sessions, 'record', { from: 20, error: full })
    const issues = await chooseIssues(app, { all: true })
    await expect(fixIssues(app, { issues }, signals)).rejects.toMatchObject({ code: 'disk_full' })
    await app.close()

    app = await openApp({ cwd: scene.root, env: envOf(scene) })
    disk.isFull = false
    const [session] = await app.store.sessions.list(app.repository.id, 1)
    if (!session?.owner) throw new Error('the session has no owner')
    // The process that found the disk full has ended by then.
    const taken = await app.store.sessions.take(session.id, { expectedOwner: session.owner, owner: 'gone' })
    await app.store.sessions.record({
      sessionId: session.id,
      owner: 'gone',
      session: { ...taken.session, owner: null },
      events: [],
    })
    const { result } = await resumeSession(app, session.id, signals)
    expect(result).toMatchObject({ status: 'partial', issues_fixed: 4, issues_failed: 1 })
    expect(findViolations(place, { own }).join('\n')).toBe('')
  })
})
