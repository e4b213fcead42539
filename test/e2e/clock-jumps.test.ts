import { afterEach, expect, it } from 'vitest'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { importFindings } from '../../src/app/review/import-findings.ts'
import { envOf } from '../fixtures/command-line.ts'
import { makeFiveIssues, type FiveIssues } from '../fixtures/recovery/five-issues.ts'
import { findViolations } from '../fixtures/recovery/invariants.ts'
import { readOwn } from '../fixtures/recovery/read-state.ts'

const never = new AbortController().signal
const signals = { stopStarting: never, endNow: never }
const tenYearsMs = 10 * 365 * 86_400_000

let scene: FiveIssues
let apps: App[] = []
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
  scene.dispose()
})

/** Starts Fixpoint with a clock that jumps ten years forwards and back again and again. */
async function openWithJumps(): Promise<App> {
  const app = await openApp({ cwd: scene.root, env: envOf(scene) })
  apps = [...apps, app]
  const ports = await app.ports()
  const jumps = [0, tenYearsMs, -tenYearsMs]
  let reads = 0
  const now = (): number => Date.now() + (jumps[reads++ % jumps.length] ?? 0)
  Object.assign(ports, { clock: { ...ports.clock, now } })
  return app
}

it(
  'a clock that jumps by years changes no result, gives no negative duration and no session away',
  { timeout: 600_000 },
  async () => {
    scene = makeFiveIssues()
    const own = readOwn(scene)
    const app = await openWithJumps()
    await importFindings(app, { file: scene.findings, format: null, stdin: process.stdin })
    const other = await openWithJumps()
    const thefts: Promise<unknown>[] = []
    app.subscribe(({ session_id, type }) => {
      if (type === 'fix_verification_started')
        thefts.push(resumeSession(other, session_id, signals).catch((error: unknown) => error))
    })
    const { result } = await fixIssues(app, { issues: await chooseIssues(app, { all: true }) }, signals)
    expect(result).toMatchObject({ status: 'partial', issues_fixed: 4, issues_failed: 1 })
    const rounds = result.results.flatMap((issue) => issue.rounds.map(({ duration_ms }) => duration_ms))
    expect(Math.min(result.duration_ms, ...rounds)).toBeGreaterThanOrEqual(0)
    expect(thefts.length).toBeGreaterThan(0)
    for (const theft of await Promise.all(thefts)) expect(theft).toMatchObject({ code: 'busy' })
    expect(
      findViolations({ root: scene.root, home: scene.home, env: envOf(scene) }, { own }).join('\n'),
    ).toBe('')
  },
)
