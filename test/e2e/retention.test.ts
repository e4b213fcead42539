import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { v7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { collectOldArtifacts, collectSomeArtifacts } from '../../src/app/collect-artifacts.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { openServing } from '../../src/server/serving/serving.ts'
import { CommitId, ReviewId, TreeId } from '../../src/model/id.ts'
import { moveIssue } from '../../src/model/issue/issue.ts'
import type { Session } from '../../src/model/session/session.ts'
import { envOf, fixpointIn } from '../fixtures/command-line.ts'
import { makeRepository, type FixtureRepository } from '../fixtures/repositories.ts'
import { startTestServer } from '../fixtures/server.ts'
import {
  planByFingerprint,
  sampleFinding,
  sampleReview,
  sampleSession,
  triageOnce,
} from '../fixtures/store/samples.ts'

const day = 86_400_000
const start = Date.parse('2030-01-01T00:00:00Z')
const idAt = (prefix: string, ms: number): string => `${prefix}_${v7({ msecs: ms }).replaceAll('-', '')}`

let repository: FixtureRepository
let app: App
beforeEach(async () => {
  repository = makeRepository()
  app = await openApp({ cwd: repository.root, env: envOf(repository) })
})
afterEach(async () => {
  await app.close()
  repository.dispose()
})

/** A session that ended when it began, with one artifact. */
async function endedSession(given: Partial<Session> = {}, atMs = start): Promise<string> {
  const at = new Date(atMs).toISOString()
  const revision = {
    commit: CommitId.parse(repository.git('rev-parse', 'HEAD')),
    tree: TreeId.parse(repository.git('rev-parse', 'HEAD^{tree}')),
  }
  const session = sampleSession(idAt('ses', atMs), [], {
    repository_id: app.repository.id,
    status: 'completed',
    base: revision,
    tip: revision,
    base_branch: 'refs/heads/main',
    owner: null,
    created_at: at,
    updated_at: at,
    ended_at: at,
    ...given,
  })
  await app.store.sessions.create({ session, attempts: [], events: [] })
  keep(session.id)
  return session.id
}

const folderOf = (owner: string): string => join(repository.home, 'artifacts', owner)
function keep(owner: string): void {
  mkdirSync(folderOf(owner), { recursive: true })
  writeFileSync(join(folderOf(owner), 'prompt.md'), 'once upon a time\n')
}
const collectAt = (ms: number) => collectSomeArtifacts(app, { now: () => ms })

/** Waits until a server, started as a person does, says this line on its page for Prometheus. */
async function expectScraped(line: string): Promise<void> {
  const { root, home } = repository
  const server = await startTestServer({ root, home, env: envOf(repository) })
  try {
    const lines = async (): Promise<string[]> => (await server.ask('/metrics')).text.split('\n')
    await expect.poll(lines, { timeout: 60_000 }).toContain(line)
  } finally {
    await server.end()
  }
}

/** A branch with one commit that main does not have. */
function commitOnBranch(name: string): { readonly commit: CommitId; readonly tree: TreeId } {
  repository.git('switch', '--quiet', '--create', name)
  repository.write({ 'fixed.md': 'fixed\n' })
  repository.commitAll('fix')
  const tip = {
    commit: CommitId.parse(repository.git('rev-parse', 'HEAD')),
    tree: TreeId.parse(repository.git('rev-parse', 'HEAD^{tree}')),
  }
  repository.git('switch', '--quiet', 'main')
  return tip
}

describe('the retention of artifacts', () => {
  test('keeps what a session left for ten days, and deletes it then', async () => {
    const id = await endedSession()
    expect(await collectAt(start + 10 * day)).toEqual({ owners: [], failed: [] })
    expect(existsSync(folderOf(id))).toBe(true)
    expect(await collectAt(start + 10 * day + 1)).toEqual({ owners: [id], failed: [] })
    expect(existsSync(folderOf(id))).toBe(false)
    expect(await app.store.sessions.load(id as Session['id'])).not.toBeNull()
  })

  test.each(['running', 'parked', 'awaiting_clarification', 'awaiting_approval'] as const)(
    'keeps what a session that is %s may need, however old it is',
    async (status) => {
      const id = await endedSession({ status, ended_at: null })
      expect((await collectAt(start + 100 * day)).owners).toEqual([])
      expect(existsSync(folderOf(id))).toBe(true)
    },
  )

  test('counts from the end of a session, not from its beginning', async () => {
    await endedSession({ ended_at: new Date(start + 50 * day).toISOString() })
    expect((await collectAt(start + 55 * day)).owners).toEqual([])
  })

  test('keeps what belongs to a branch until it is merged', async () => {
    const tip = commitOnBranch('fix/waits')
    const id = await endedSession({ tip, branch: 'fix/waits', branch_made: true })
    expect((await collectAt(start + 100 * day)).owners).toEqual([])
    repository.git('merge', '--quiet', '--ff-only', 'fix/waits')
    expect((await collectAt(start + 100 * day)).owners).toEqual([id])
  })

  test('no longer keeps what belongs to a branch that was deleted', async () => {
    const tip = commitOnBranch('fix/unwanted')
    const id = await endedSession({ tip, branch: 'fix/unwanted', branch_made: true })
    repository.git('branch', '-D', 'fix/unwanted')
    expect((await collectAt(start + 100 * day)).owners).toEqual([id])
  })

  test('keeps what belongs to a branch that another machine may have, until its issues are merged or open again', async () => {
    const tip = commitOnBranch('fix/elsewhere')
    const review = sampleReview(idAt('rev', start), { repository_id: app.repository.id })
    const findings = [sampleFinding(review, 1)]
    const plan = planByFingerprint(findings, () => 'iss_elsewhere', { repository_id: app.repository.id })
    const { created } = await triageOnce(app.store, { review, findings, plan })
    const issue_ids = created.map(({ id }) => id)
    const id = await endedSession({ tip, branch: 'fix/elsewhere', branch_made: true, issue_ids })
    const moveAll = async (status: 'resolved' | 'merged'): Promise<void> => {
      for (const issue of issue_ids)
        await app.store.issues.change(issue, 'engine', (one) => moveIssue(one, status, 'engine'))
    }
    await moveAll('resolved')
    repository.git('branch', '-D', 'fix/elsewhere')
    const collect = async () => {
      const shared = { ...app.store, isOwnerAlive: () => false }
      const request = { repositoryId: app.repository.id, retentionMs: 10 * day, atMost: 9 }
      const time = { now: () => start + 100 * day }
      return (await collectOldArtifacts({ ...app, store: shared, url: 'folder', clock: time }, request))
        .owners
    }
    expect(await collect()).not.toContain(id)
    await moveAll('merged')
    expect(await collect()).toContain(id)
  })

  test('keeps what belongs to commits that could not be put on their branch', async () => {
    const id = await endedSession()
    repository.git('update-ref', `refs/fixpoint/${id}`, 'HEAD')
    expect((await collectAt(start + 100 * day)).owners).toEqual([])
  })

  test('deletes those of old reviews and of questions that no session followed, and nothing that it does not know', async () => {
    const review = sampleReview(idAt('rev', start), { repository_id: app.repository.id })
    await triageOnce(app.store, { review, findings: [], plan: planByFingerprint([], String) })
    const asked = idAt('ses', start)
    for (const owner of [review.id, asked, 'notes', 'ses_1']) keep(owner)
    const { owners } = await collectAt(start + 11 * day)
    expect(owners.toSorted()).toEqual([ReviewId.parse(review.id), asked].toSorted())
    expect([existsSync(folderOf('notes')), existsSync(folderOf('ses_1'))]).toEqual([true, true])
  })

  test('looks at a few at a time, and comes to all of them although some have to stay', async () => {
    for (let number = 0; number < 6; number += 1)
      await endedSession({ status: 'parked', ended_at: null }, start + number)
    const old = [await endedSession({}, start + 10), await endedSession({}, start + 11)]
    const collected: string[] = []
    for (let second = 0; second < 20; second += 1) {
      const now = start + 20 * day + second * 1_000
      const request = { repositoryId: app.repository.id, retentionMs: 10 * day, atMost: 2 }
      const { owners } = await collectOldArtifacts(
        { ...app, url: 'folder', clock: { now: () => now } },
        request,
      )
      expect(owners.length).toBeLessThanOrEqual(2)
      collected.push(...owners)
    }
    expect(collected.toSorted()).toEqual(old.toSorted())
  })

  test('is named by doctor, and acted on by doctor --fix and by the server', async () => {
    const long = Date.now() - 30 * day
    const [first, second] = [await endedSession({}, long), await endedSession({}, long + 1)]
    const artifactsOf = (...args: readonly string[]) =>
      fixpointIn(repository.root, envOf(repository), [...args, '--json'])
        .json<{ checks: readonly { name: string; status: string; message: string }[] }>()
        .checks.find(({ name }) => name === 'artifacts')
    expect(artifactsOf('doctor')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('those of 2 sessions'),
    })
    expect(existsSync(folderOf(first))).toBe(true)
    const serving = await openServing({
      env: envOf(repository),
      onError: (error) => expect.fail(String(error)),
    })
    expect(serving.artifactBytes()).toBeNull()
    await serving.collect()
    expect(serving.artifactBytes()).toBe(0)
    const young = await endedSession({}, Date.now())
    await serving.collect()
    const { size } = statSync(join(folderOf(young), 'prompt.md'))
    expect(serving.artifactBytes()).toBe(size)
    await serving.close()
    await expectScraped(`fixpoint_artifact_bytes ${size}`)
    expect([existsSync(folderOf(first)), existsSync(folderOf(second))]).toEqual([false, false])
    keep(first)
    expect(artifactsOf('doctor', '--fix')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('removed'),
    })
    expect(existsSync(folderOf(first))).toBe(false)
  })
})
