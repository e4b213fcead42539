import { afterEach, expect, it } from 'vitest'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startHookServer, until, type HookServer } from '../fixtures/forge/hook-server.ts'
import {
  makePublishedProject,
  threeFindings,
  threeMistakes,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'

let project: PublishedProject | null = null
let server: HookServer | null = null
afterEach(async () => {
  await server?.end()
  await project?.closeAll()
})

const voter = "console.log(JSON.stringify({ score: 90, summary: 'fine', findings: [] })); return null"

it('goes from a report over fixes, votes, a squash merge and a webhook to merged issues, and the same report changes nothing', async () => {
  const made = (project = await makePublishedProject({ ...threeMistakes, reviewers: [voter, voter] }))
  const { fixpoint, forge } = made
  const report = join(made.folder, 'report.json')
  writeFileSync(
    report,
    JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'scan', findings: threeFindings }),
  )
  const standing = async () =>
    (await made.app.store.issues.list({ repositoryId: made.app.repository.id, limit: 50 })).issues
      .map(({ title, status, resolution_note }) => [title, status, resolution_note])
      .toSorted(([a = ''], [b = '']) => String(a).localeCompare(String(b)))
  expect((await fixpoint('import', report, '--json')).exitCode).toBe(0)
  expect((await fixpoint('fix', '--all', '--yes', '--json')).exitCode).toBe(1)
  const created = await fixpoint('pr', 'create', '--no-draft', '--json')
  const { number } = created.json<{ number: number }>()
  const reviewed = await fixpoint('pr', 'review', String(number), '--post', '--yes', '--json')
  expect(reviewed.json()).toMatchObject({ status: 'approved', average: 90 })
  server = await startHookServer(made)
  await forge.merge(number, 'squash')
  await until(
    'the webhook makes the issues merged',
    async () => (await standing()).filter(([, status]) => status === 'merged').length === 2,
  )
  expect((await standing()).slice(0, 2)).toEqual([
    ['add subtracts', 'merged', `Fixed in PR #${number}`],
    ['half takes a third', 'merged', `Fixed in PR #${number}`],
  ])
  const publish = ['issues', 'publish', '--unresolved', '--json'] as const
  const first = await fixpoint(...publish)
  expect(first.json<{ issues_created: unknown[] }>().issues_created).toHaveLength(1)
  expect((await fixpoint(...publish)).json()).toMatchObject({ issues_created: [], issues_updated: [] })
  const before = await standing()
  // The clone does not know of the merge yet.
  expect((await fixpoint('import', report, '--json')).exitCode).toBe(0)
  expect(await standing()).toEqual(before)
  // The clone knows of the merge now.
  forge.bare.git('push', '--quiet', made.root, '+main:refs/remotes/origin/main')
  made.git('merge', '--quiet', '--ff-only', 'origin/main')
  expect((await fixpoint('import', report, '--json')).exitCode).toBe(0)
  expect(await standing()).toEqual(before)
})
