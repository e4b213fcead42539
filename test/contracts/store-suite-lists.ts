import { beforeAll, describe, expect, it } from 'vitest'
import type { IssueQuery, TriagePart } from '../../src/loop/ports.ts'
import { RepositoryId } from '../../src/model/id.ts'
import { IssueStatus, type Issue } from '../../src/model/issue/issue.ts'
import { Severity } from '../../src/model/issue/severity.ts'
import { issueSorts } from '../../src/model/issue/issue-order.ts'
import {
  numbered,
  planByFingerprint,
  repositoryId,
  sampleFinding,
  sampleReview,
} from '../fixtures/store/samples.ts'
import { recordedAt, setScene, type Scene, type TestDatabase } from './store-scene.ts'

/** All pages of a list, one after the other. */
async function listAll(scene: Scene, query: Partial<IssueQuery>): Promise<readonly Issue[]> {
  const all: Issue[] = []
  let cursor: string | undefined
  do {
    const page = await scene.store.issues.list({
      repositoryId,
      limit: 7,
      ...query,
      ...(cursor === undefined ? {} : { cursor }),
    })
    all.push(...page.issues)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return all
}

const inListOrder = (issues: readonly Issue[]): readonly Issue[] =>
  issues.toSorted((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1))

export function describeLists(makeDatabase: () => Promise<TestDatabase>): void {
  describe('lists of issues', () => {
    const scene = setScene(makeDatabase)
    const stored: Issue[] = []
    const pick = (keep: (issue: Issue) => boolean) => inListOrder(stored.filter(keep))

    beforeAll(async () => {
      for (const status of IssueStatus.options)
        stored.push(
          ...(await scene.issues(
            Array.from({ length: 12 }, () => ({})),
            { status },
          )),
        )
      stored.push(
        ...(await scene.issues([
          { title: 'Ünïcode 100%_sure', file: 'src/Special-Name.ts' },
          { title: 'a null byte \u0000 inside', file: null },
        ])),
      )
    })

    it('come highest priority first, page by page, each issue once', async () => {
      expect(await listAll(scene, {})).toEqual(inListOrder(stored))
      expect(await listAll(scene, { limit: 50 })).toEqual(inListOrder(stored))
    })

    it('a page that is exactly full has no next one', async () => {
      const page = await scene.store.issues.list({ repositoryId, limit: stored.length })
      expect(page.issues).toHaveLength(stored.length)
      expect(page.nextCursor).toBeNull()
    })

    it.each(IssueStatus.options)('hold only what is %s when that is asked for', async (status) => {
      expect(await listAll(scene, { status: [status] })).toEqual(pick((issue) => issue.status === status))
    })

    it.each(Severity.options)('hold only what is %s when that is asked for', async (severity) => {
      expect(await listAll(scene, { severity: [severity] })).toEqual(
        pick((issue) => issue.severity === severity),
      )
    })

    it('combine every filter, each with several values', async () => {
      const taskId = stored[0]?.task_id ?? ''
      const query = { taskId, status: ['open', 'failed', 'open'], severity: ['major', 'minor'] } as const
      expect(await listAll(scene, query)).toEqual(
        pick((issue) => issue.task_id === taskId && ['major', 'minor'].includes(issue.severity)),
      )
      expect(await listAll(scene, { status: [] })).toEqual([])
    })

    it.each<readonly [string, (issue: Issue) => boolean]>([
      ['ÜNÏCODE', (issue) => issue.title.startsWith('Ünïcode')],
      ['100%_SURE', (issue) => issue.title.startsWith('Ünïcode')],
      ['special-name', (issue) => issue.file === 'src/Special-Name.ts'],
      ['be-013', (issue) => issue.code === 'BE-013'],
      ['be-01', (issue) => issue.code.startsWith('BE-01')],
      ['%', (issue) => issue.title.includes('%')],
      ["' or 1=1 --", () => false],
      ['byte \u0000 inside', (issue) => issue.title.includes('\u0000')],
      ['x'.repeat(100_000), () => false],
    ])('find text in title, code and file, in any case (%#)', async (text, keep) => {
      expect(await listAll(scene, { text })).toEqual(pick(keep))
    })

    it('are narrowed by rule, tool, source, path and time, each with several values', async () => {
      const [first] = await scene.issues(
        [{ rule: 'js/a', file: 'deep/er/one.ts', source: { kind: 'tool', name: 'eslint' } }],
        { flagged_by: ['eslint', 'semgrep'], created_at: '2040-01-01T00:00:00.000Z' },
      )
      const [second] = await scene.issues(
        [{ rule: 'js/b_', file: 'deep/two.mjs', source: { kind: 'person', name: 'ada' } }],
        { flagged_by: ['ada'], created_at: '2039-01-01T00:00:00.000Z' },
      )
      if (!first || !second) throw new Error('nothing was stored')
      const ids = async (query: Partial<IssueQuery>) =>
        (await listAll(scene, query)).map(({ id }) => id).toSorted()
      const both = [first.id, second.id].toSorted()
      expect(await ids({ rule: ['js/a', 'js/b_'] })).toEqual(both)
      expect(await ids({ rule: ['js/bx'] })).toEqual([])
      expect(await ids({ tool: ['semgrep'] })).toEqual([first.id])
      expect(await ids({ tool: ['sem'] })).toEqual([])
      expect(await ids({ source: ['person'] })).toEqual([second.id])
      expect(await ids({ path: 'deep' })).toEqual(both)
      expect(await ids({ path: './deep/er/' })).toEqual([first.id])
      expect(await ids({ path: 'dee' })).toEqual([])
      expect(await ids({ path: 'deep/**/*.ts' })).toEqual([first.id])
      expect(await ids({ path: 'd__p' })).toEqual([])
      expect(await ids({ since: '2039-06-01T00:00:00.000Z' })).toEqual([first.id])
      expect(await ids({ since: '2038-06-01T00:00:00.000Z', tool: ['ada', 'eslint'] })).toEqual(both)
      const counts = await scene.store.issues.count({ repositoryId, path: 'deep', status: ['open'] })
      expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(2)
      stored.push(first, second)
    })

    it.each(issueSorts)('are sorted by %s both ways, page by page, each issue once', async (sort) => {
      const up = (await listAll(scene, { sort })).map(({ id }) => id)
      const down = (await listAll(scene, { sort: `-${sort}`, limit: 11 })).map(({ id }) => id)
      expect(up.toSorted()).toEqual(stored.map(({ id }) => id).toSorted())
      expect(down).toEqual(up.toReversed())
    })

    it('are sorted by what people read', async () => {
      const bySeverity = (await listAll(scene, { sort: 'severity' })).map(({ severity }) => severity)
      expect(bySeverity).toEqual(
        bySeverity.toSorted((a, b) => Severity.options.indexOf(a) - Severity.options.indexOf(b)),
      )
      const files = (await listAll(scene, { sort: 'file' })).map(({ file }) => file ?? '')
      expect(files).toEqual(files.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
      const page = await scene.store.issues.list({ repositoryId, limit: 5, sort: 'file' })
      await expect(
        scene.store.issues.list({ repositoryId, limit: 5, sort: 'rule', cursor: page.nextCursor ?? '' }),
      ).rejects.toMatchObject({ code: 'input_invalid' })
    })

    it('are counted by every property; what is chosen of one does not narrow its own counts', async () => {
      const { facets } = scene.store.issues
      const all = await facets({ repositoryId })
      const total = (counts: readonly { count: number }[]) =>
        counts.reduce((sum, { count }) => sum + count, 0)
      for (const facet of ['status', 'severity', 'class', 'rule', 'source', 'folder'] as const)
        expect([facet, total(all[facet])]).toEqual([facet, stored.length])
      expect(all.tool.find(({ value }) => value === 'semgrep')).toEqual({ value: 'semgrep', count: 1 })
      expect(all.folder.find(({ value }) => value === 'deep/er')?.count).toBe(1)
      const chosen = await facets({ repositoryId, status: ['open'], rule: ['js/a'] })
      expect(chosen.rule).toEqual((await facets({ repositoryId, status: ['open'] })).rule)
      expect(chosen.status).toEqual([{ value: 'open', count: 1 }])
      expect(chosen.folder).toEqual([{ value: 'deep/er', count: 1 }])
      const open = all.status.find(({ value }) => value === 'open')?.count
      expect(await scene.store.issues.groups({ repositoryId, path: 'deep' }, 'file')).toEqual([
        { value: 'deep/er/one.ts', count: 1, severity: stored.at(-2)?.severity },
        { value: 'deep/two.mjs', count: 1, severity: stored.at(-1)?.severity },
      ])
      const census = await scene.store.issues.census('2039-06-01')
      expect(total(census.filter(({ status }) => status === 'open'))).toBe(open)
      expect(census.filter(({ day }) => day === '2040-01-01')).toMatchObject([{ repositoryId, count: 1 }])
    })

    it('hold nothing of another repository', async () => {
      expect(await listAll(scene, { repositoryId: RepositoryId.parse('rep_none') })).toEqual([])
    })

    it('go on where they were although issues came and went in between', async () => {
      const first = await scene.store.issues.list({ repositoryId, limit: 5 })
      const [urgent] = await scene.issues([{}], { priority: 100 })
      const second = await scene.store.issues.list({
        repositoryId,
        limit: 5,
        cursor: first.nextCursor ?? '',
      })
      expect(second.issues).toEqual(inListOrder(stored).slice(5, 10))
      if (urgent) stored.push(urgent)
    })

    it.each([
      '',
      'x',
      '!!',
      Buffer.from('[1]').toString('base64url'),
      Buffer.from('["a","iss_1"]').toString('base64url'),
    ])('refuse the cursor "%s"', async (cursor) => {
      const list = scene.store.issues.list({ repositoryId, limit: 5, cursor })
      await expect(list).rejects.toMatchObject({ code: 'input_invalid' })
    })
  })

  describe('issues', () => {
    const scene = setScene(makeDatabase)

    it('tell when they were found and moved; those that were always open only as counts', async () => {
      const { issues } = scene.store
      const before = await issues.histories(repositoryId)
      const issue = await scene.issue({ created_at: '2041-01-01T00:00:00.000Z' })
      const found = { day: '2041-01-01', count: 1 }
      expect(await issues.histories(repositoryId)).toEqual({ ...before, steady: [...before.steady, found] })
      await issues.change(issue.id, 'person', (one) => ({ ...one, status: 'ignored' }))
      const moves = [{ at: recordedAt, from: 'open', to: 'ignored' }]
      const { steady, moved } = await issues.histories(repositoryId)
      expect(steady).toEqual(before.steady)
      expect(moved.find(({ id }) => id === issue.id)).toMatchObject({
        status: 'ignored',
        created_at: '2041-01-01T00:00:00.000Z',
        updated_at: recordedAt,
        moves,
      })
      await issues.change(issue.id, 'person', (one) => ({ ...one, status: 'open' }))
      const again = await issues.histories(repositoryId)
      expect(again.steady).toEqual(before.steady)
      expect(again.moved.find(({ id }) => id === issue.id)?.moves).toHaveLength(2)
    })

    it('are previewed as triage would make and change them, and nothing is stored', async () => {
      const review = sampleReview('rev_preview')
      const known = await scene.issue()
      const findings = [
        sampleFinding(review, 9_000_001),
        sampleFinding(review, 9_000_002),
        sampleFinding(review, 9_000_003, { fingerprint: known.fingerprint }),
      ]
      const plan: TriagePart['plan'] = (issues) => {
        const made = planByFingerprint(findings, (index) => numbered('iss', 9_000_000 + index))(issues)
        const changed = issues.filter(({ id }) => id === known.id).map((one) => ({ ...one, title: 'again' }))
        return { ...made, changed }
      }
      const request = { review, count: findings.length, parts: [{ findings, plan }] }
      const count = (await listAll(scene, {})).length
      const preview = await scene.store.issues.previewTriage(request)
      expect(preview).toEqual({ created: 2, changed: 1 })
      expect((await listAll(scene, {})).length).toBe(count)
      expect(await scene.store.reviews.get(review.id)).toBeNull()
      expect(await scene.store.issues.triage(request)).toEqual(preview)
    })
  })
}
