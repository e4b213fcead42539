import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { recover } from '../../src/app/recover.ts'
import { takeSession } from '../../src/app/fix/stored-session.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { endOrRelease } from '../../src/loop/session/end-session.ts'
import { createRecorder } from '../../src/loop/context/recorder.ts'
import { envOf } from '../fixtures/command-line.ts'
import { makeFiveIssues, type FiveIssues } from '../fixtures/recovery/five-issues.ts'
import { findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { readOwn } from '../fixtures/recovery/read-state.ts'
import { startNode } from '../fixtures/recovery/started.ts'

const program = join(import.meta.dirname, '../fixtures/recovery/crashing-fix.ts')

let scene: FiveIssues
let app: App
afterEach(async () => {
  await app.close()
  scene.dispose()
})

it.each(['move:before', 'move:after', 'note:after'])(
  'a session that ends because of its checkout finishes the landing that is under way (%s)',
  { timeout: 600_000 },
  async (point) => {
    scene = makeFiveIssues()
    const own = readOwn(scene)
    await startNode(scene, [program, scene.root, 'fix', scene.findings, point]).ended
    app = await openApp({ cwd: scene.root, env: envOf(scene) })
    const [newest] = await app.store.sessions.list(app.repository.id, 1)
    if (!newest?.landing) throw new Error('nothing was about to land')
    const planned = newest.landing.commits.length
    const taken = await takeSession(app, newest)
    const { session } = taken
    const ports = await app.ports()
    const recorder = createRecorder(taken, ports)
    const stopped = { kind: 'checkout_changed', reason: 'written to' } as const
    await endOrRelease({ stopped, halt: null }, { recorder, ports })
    await recover(app)
    expect(recorder.session()).toMatchObject({ status: 'partial', landing: null, reason: 'written to' })
    const place = { root: scene.root, home: scene.home, env: envOf(scene) }
    expect(landedOn(place, session.base.commit, session.branch ?? '')).toHaveLength(planned)
    expect(findViolations(place, { own })).toEqual([])
  },
)
