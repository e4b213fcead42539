import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SeenRequest } from '../fixtures/forge/forge.ts'
import { startHookServer, until, type HookServer } from '../fixtures/forge/hook-server.ts'
import {
  makePublishedProject,
  threeFindings,
  threeMistakes,
  type PublishedProject,
  type RanLater,
} from '../fixtures/forge/published-project.ts'

const voter =
  "console.log(JSON.stringify({ score: 90, summary: 'fine', findings: [{ file: 'src/add.js', line: '1', title: 'no test', issue: 'Nothing tests it.', severity: 'minor', category: 'testing' }] })); return null"

let project: PublishedProject
let server: HookServer | null = null
beforeAll(async () => {
  project = await makePublishedProject({ ...threeMistakes, reviewers: [voter, voter] })
})
afterAll(async () => {
  await server?.end()
  await project.closeAll()
})

const isWrite = ({ method, path }: SeenRequest): boolean =>
  method !== 'GET' && (path.startsWith('/repos/') || path.endsWith('/git-receive-pack'))

/** Repeats a command, killed with -9 after the first write of each run, until a run has nothing left to write. */
async function killedAtEveryWrite(...args: string[]): Promise<{ kills: number; last: RanLater }> {
  for (let kills = 0; kills < 30; kills += 1) {
    const { child, done } = project.start(args)
    project.forge.intercept = (request, phase) => {
      if (phase === 'after' && isWrite(request)) child.kill('SIGKILL')
      return child.killed ? 'drop' : 'pass'
    }
    const last = await done
    project.forge.intercept = () => 'pass'
    if (last.signal === null) return { kills, last }
  }
  throw new Error('it never ends')
}

/** Kills a command with -9 as soon as a condition holds; the command may have ended a moment before. */
async function killedWhen(isSo: () => Promise<boolean>, ...args: string[]): Promise<RanLater> {
  const { child, done } = project.start(args)
  await until(`${args.join(' ')} has come far enough`, isSo)
  child.kill('SIGKILL')
  return done
}

const issues = async () =>
  (await project.app.store.issues.list({ repositoryId: project.app.repository.id, limit: 50 })).issues
const standing = async () =>
  (await issues())
    .map(({ title, status, resolution_note }) => [title, status, resolution_note])
    .toSorted(([a = ''], [b = '']) => String(a).localeCompare(String(b)))
const count = async (path: string): Promise<number> =>
  (await project.forge.ask<unknown[]>('GET', `/repos/ada/sample/${path}`)).data.length
const published = async () =>
  (
    await project.forge.ask<{ pull_request?: object }[]>(
      'GET',
      '/repos/ada/sample/issues?state=all&per_page=100',
    )
  ).data.filter(({ pull_request }) => pull_request === undefined)

it('a walk whose every command is killed at every step ends as one that nobody killed: nothing twice, nothing missing', async () => {
  const { fixpoint, forge } = project
  const report = join(project.folder, 'report.json')
  writeFileSync(
    report,
    JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'scan', findings: threeFindings }),
  )
  const importing = ['import', report, '--json'] as const
  await killedWhen(async () => (await issues()).length > 0, ...importing)
  expect((await fixpoint(...importing)).exitCode).toBe(0)
  expect(await issues()).toHaveLength(3)

  const fixing = await killedWhen(async () => project.seen().length > 0, 'fix', '--all', '--yes', '--json')
  expect(fixing.signal).toBe('SIGKILL')
  const resumed = await fixpoint('resume', '--json')
  expect(resumed.json()).toMatchObject({ issues_fixed: 2, issues_failed: 1 })

  // The branch, its notes, the pull request and its label.
  const created = await killedAtEveryWrite('pr', 'create', '--no-draft', '--json')
  expect(created.kills).toBeGreaterThanOrEqual(4)
  expect(created.last.json()).toMatchObject({ number: 1, created: false, pushed: false })
  expect(await count('pulls?state=all')).toBe(1)

  const reviewed = await killedAtEveryWrite('pr', 'review', '1', '--post', '--yes', '--json')
  expect(reviewed.kills).toBeGreaterThanOrEqual(1)
  expect(reviewed.last.json()).toMatchObject({ status: 'approved', average: 90 })
  expect([await count('pulls/1/reviews'), await count('pulls/1/comments')]).toEqual([1, 1])

  // The server dies while it asks for the state of the pull request, and the next server completes the delivery.
  server = await startHookServer(project)
  const asked = Promise.withResolvers<void>()
  forge.intercept = ({ path }) => {
    if (path !== '/repos/ada/sample/pulls/1') return 'pass'
    asked.resolve()
    return 'drop'
  }
  await forge.merge(1, 'squash')
  await asked.promise
  await server.end('SIGKILL')
  forge.intercept = () => 'pass'
  server = await startHookServer(project)
  await until(
    'the issues are merged',
    async () => (await issues()).filter(({ status }) => status === 'merged').length === 2,
  )

  const leftovers = await killedAtEveryWrite('issues', 'publish', '--unresolved', '--json')
  expect(leftovers.kills).toBeGreaterThanOrEqual(1)
  expect(await published()).toHaveLength(1)

  const before = await standing()
  expect(before).toEqual([
    ['add subtracts', 'merged', 'Fixed in PR #1'],
    ['half takes a third', 'merged', 'Fixed in PR #1'],
    ['load throws on bad text', 'failed', expect.any(String)],
  ])
  const again = project.start(importing)
  again.child.kill('SIGKILL')
  await again.done
  expect((await fixpoint(...importing)).json()).toMatchObject({ issues_created: 0 })
  expect(await standing()).toEqual(before)
}, 300_000)
