import { beforeAll, describe, expect, it } from 'vitest'
import type { IssueQuery } from '../../src/loop/ports.ts'
import { RepositoryId } from '../../src/model/id.ts'
import { IssueStatus, type Issue } from '../../src/model/issue/issue.ts'
import { Severity } from '../../src/model/issue/severity.ts'
import { repositoryId } from '../fixtures/store/samples.ts'
import { setScene, type Scene, type TestDatabase } from './store-scene.ts'

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
}
