import { describe, expect, it } from 'vitest'
import { Fault } from '../../src/model/fault.ts'
import { IssueId, RepositoryId, ReviewId, SessionId, TreeId } from '../../src/model/id.ts'
import type { TriagePart } from '../../src/loop/ports.ts'
import type { Review } from '../../src/model/issue/review.ts'
import { moveIssue, type Actor, type Issue, type IssueStatus } from '../../src/model/issue/issue.ts'
import {
  issueOf,
  planByFingerprint,
  repositoryId,
  sampleFinding,
  sampleReview,
  triageOnce,
} from '../fixtures/store/samples.ts'
import { recordedAt, setScene, type TestDatabase } from './store-scene.ts'

const nobody = IssueId.parse('iss_nobody')

export function describeIssues(makeDatabase: () => Promise<TestDatabase>): void {
  describe('repositories and reviews', () => {
    const scene = setScene(makeDatabase)

    it('a repository is stored once per key and follows its folder', async () => {
      const { repositories } = scene.store
      const request = { key: 'two', path: '/two', newId: RepositoryId.parse('rep_2') }
      const stored = { id: 'rep_2', key: 'two', path: '/two', url: null, created_at: recordedAt }
      expect(await repositories.ensure(request)).toEqual(stored)
      const moved = await repositories.ensure({
        ...request,
        path: '/moved',
        newId: RepositoryId.parse('rep_3'),
      })
      expect(moved).toEqual({ ...stored, path: '/moved' })
      expect(await repositories.get(moved.id)).toEqual(moved)
      expect(await repositories.get(RepositoryId.parse('rep_3'))).toBeNull()
      expect((await repositories.list()).map((repository) => repository.id)).toEqual([repositoryId, 'rep_2'])
    })

    it('a repository by URL keeps its address, is taken off the list and comes back as it was', async () => {
      const { repositories } = scene.store
      const [url, newId] = ['https://example.com/ada/far', RepositoryId.parse('rep_far')]
      const stored = await repositories.ensure({ key: 'far', path: url, url, newId })
      expect(stored).toMatchObject({ id: 'rep_far', path: url, url })
      expect(await repositories.ensure({ key: 'far', path: '/own/clone', newId })).toEqual(stored)
      await repositories.remove(newId)
      expect((await repositories.list()).map(({ id }) => id)).not.toContain('rep_far')
      expect(await repositories.get(newId)).toEqual(stored)
      await repositories.ensure({ key: 'far', path: url, url, newId: RepositoryId.parse('rep_new') })
      expect((await repositories.list()).map(({ id }) => id)).toContain('rep_far')
    })

    it('what was trusted of a repository is known to everybody until it is taken back', async () => {
      const { repositories } = scene.store
      await repositories.trust(repositoryId, ['a', 'b'])
      await repositories.trust(repositoryId, ['b', 'c'])
      await repositories.trust(repositoryId, [])
      expect([...(await repositories.trusted(repositoryId))].toSorted()).toEqual(['a', 'b', 'c'])
      expect(await repositories.distrust(repositoryId)).toBe(3)
      expect([...(await repositories.trusted(repositoryId))]).toEqual([])
    })

    it('a repository is found by what its clone remembers, whatever its history says by now', async () => {
      const { repositories } = scene.store
      const id = RepositoryId.parse('rep_7')
      const newId = RepositoryId.parse('rep_8')
      const first = await repositories.ensure({ key: 'a:-', path: '/a', id, newId })
      expect(first).toMatchObject({ id: 'rep_7', key: 'a:-' })
      expect(await repositories.ensure({ key: 'a:r', path: '/a', id, newId })).toMatchObject({
        id: 'rep_7',
        key: 'a:r',
      })
      expect(await repositories.ensure({ key: 'a:r', path: '/b', newId })).toMatchObject({
        id: 'rep_7',
        path: '/b',
      })
    })

    it('a repository of which less is known joins the one of which more is, and the other way round', async () => {
      const { repositories } = scene.store
      const ids = ['rep_a', 'rep_b', 'rep_c'].map((id) => RepositoryId.parse(id))
      const [one, two, three] = ids as [RepositoryId, RepositoryId, RepositoryId]
      const shallow = { key: '-:q', fullerEnd: ':q', path: '/shallow' }
      const full = { key: 'c:q', poorer: '-:q', path: '/full' }
      expect(await repositories.ensure({ ...shallow, newId: one })).toMatchObject({ id: one, key: '-:q' })
      expect(await repositories.ensure({ ...full, newId: two })).toMatchObject({ id: one, key: 'c:q' })
      expect(await repositories.ensure({ ...shallow, newId: three })).toMatchObject({ id: one, key: 'c:q' })
      const other = { key: 'd:q', poorer: '-:q', path: '/unrelated' }
      expect(await repositories.ensure({ ...other, newId: two })).toMatchObject({ id: two, key: 'd:q' })
    })

    it('reviews are listed newest first', async () => {
      const reviews = ['rev_a', 'rev_b', 'rev_c'].map((id) => sampleReview(id))
      for (const review of reviews)
        await triageOnce(scene.store, { review, findings: [], plan: planByFingerprint([], () => '') })
      expect(await scene.store.reviews.list(repositoryId, 2)).toEqual([reviews[2], reviews[1]])
      const other = RepositoryId.parse('rep_reviewed')
      await scene.store.repositories.ensure({ key: 'reviewed', path: '/reviewed', newId: other })
      const theirs = sampleReview('rev_aa', { repository_id: other })
      await triageOnce(scene.store, { review: theirs, findings: [], plan: planByFingerprint([], () => '') })
      const newest = await scene.store.reviews.newestOfEach()
      const ofBoth = newest.filter((one) => [repositoryId, other].includes(one.repository_id))
      expect(ofBoth.toSorted((one, two) => (one.id < two.id ? -1 : 1))).toEqual([theirs, reviews[2]])
      expect(await scene.store.reviews.get(ReviewId.parse('rev_a'))).toEqual(reviews[0])
      expect(await scene.store.reviews.get(ReviewId.parse('rev_none'))).toBeNull()
    })

    it('of the newest reviews, those that nobody has ended are found', async () => {
      const running = { owner: 'somebody', tree: TreeId.parse('b'.repeat(40)), is_committed: true }
      const begun = { ...sampleReview('rev_b'), running }
      const named = { ...sampleReview('rev_c'), scope: '"running":{' }
      for (const review of [sampleReview('rev_a'), begun, named])
        await triageOnce(scene.store, { review, findings: [], plan: planByFingerprint([], () => '') })
      expect(await scene.store.reviews.running(repositoryId, 2)).toEqual([begun])
      expect(await scene.store.reviews.running(repositoryId, 1)).toEqual([])
    })

    it('keeps each delivery of a forge once, and gives it to one worker', async () => {
      const { deliveries } = scene.store
      const job = { kind: 'comment', repository: 'ada/sample', number: 3, comment: 7 } as const
      const told = { id: 'd-1', subject: 'comment:7', place: 'ada/sample#3', job }
      expect(await deliveries.keep(told)).toBe(true)
      expect(await deliveries.keep(told)).toBe(false)
      expect(await deliveries.keep({ ...told, id: 'd-2' })).toBe(false)
      expect(await deliveries.keep({ ...told, subject: 'comment:8' })).toBe(false)
      const [first] = await deliveries.open()
      expect(first).toEqual({ id: 'd-1', owner: null, job, tries: 0, sessionId: null })
      const taken = await Promise.all(['a', 'b'].map((owner) => deliveries.take('d-1', null, owner)))
      expect(taken.filter(Boolean)).toHaveLength(1)
      const sessionId = SessionId.parse('ses_1')
      await deliveries.note({ id: 'd-1', owner: 'a', job, tries: 1, sessionId, isDone: false })
      expect(await deliveries.open()).toEqual([{ id: 'd-1', owner: 'a', job, tries: 1, sessionId }])
      expect(await deliveries.sessionsAt('ada/sample#3')).toEqual([sessionId])
      await deliveries.note({ id: 'd-1', owner: 'a', job, tries: 1, sessionId, isDone: true })
      expect(await deliveries.open()).toEqual([])
      expect(await deliveries.take('d-1', 'a', 'c')).toBe(false)
    })

    it('a check result is found by its key, and the newest one counts', async () => {
      const { checkCache } = scene.store
      const run = {
        name: 'test',
        run: 'npm test',
        ended: 'exited' as const,
        exit_code: 0,
        output: 'ok \u0000 \ud800 end',
        tests: null,
        duration_ms: 1.5,
        flaky: false,
      }
      expect(await checkCache.get('key')).toBeNull()
      await checkCache.put('key', run)
      expect(await checkCache.get('key')).toEqual(run)
      await checkCache.put('key', { ...run, exit_code: 1 })
      expect(await checkCache.get('key')).toEqual({ ...run, exit_code: 1 })
    })
  })

  describeTriage(makeDatabase)
  describeChanges(makeDatabase)
}

function describeTriage(makeDatabase: () => Promise<TestDatabase>): void {
  describe('triage', () => {
    const scene = setScene(makeDatabase)

    it('gives each class its own codes and never gives one twice', async () => {
      const backend = await scene.issues([{}, {}])
      const frontend = await scene.issues([{}], { class: 'FE' })
      const later = await scene.issues([{}])
      expect([...backend, ...frontend, ...later].map((issue) => issue.code)).toEqual([
        'BE-001',
        'BE-002',
        'FE-001',
        'BE-003',
      ])
      expect(await scene.store.issues.byCode(repositoryId, ['BE-003', 'none', 'BE-001'])).toEqual([
        later[0],
        backend[0],
      ])
    })

    it('counts the codes of each repository by itself', async () => {
      const id = RepositoryId.parse('rep_other')
      await scene.store.repositories.ensure({ key: 'other', path: '/other', newId: id })
      const review = sampleReview('rev_other', { repository_id: id })
      const finding = sampleFinding(review, 900)
      const plan = planByFingerprint([finding], () => 'iss_other', { repository_id: id })
      const { created } = await triageOnce(scene.store, { review, findings: [finding], plan })
      expect(created.map((issue) => issue.code)).toEqual(['BE-001'])
    })

    it('shows the plan exactly the issues that share a fingerprint or a file', async () => {
      const [byFingerprint, byFile] = await scene.issues([
        { fingerprint: 'shared', file: 'a.ts' },
        { fingerprint: 'own', file: 'shared.ts' },
        { fingerprint: 'unrelated', file: 'unrelated.ts' },
      ])
      const review = sampleReview('rev_sharing')
      const findings = [
        sampleFinding(review, 1, { fingerprint: 'shared', file: 'moved.ts' }),
        sampleFinding(review, 2, { fingerprint: 'new', file: 'shared.ts' }),
        sampleFinding(review, 3, { fingerprint: 'nowhere', file: null }),
      ]
      let seen: readonly Issue[] = []
      const plan = planByFingerprint(findings, (index) => `iss_sharing${index}`)
      await triageOnce(scene.store, { review, findings, plan: (known) => plan((seen = known)) })
      expect(seen).toEqual([byFingerprint, byFile])
    })

    it('keeps every finding with the issue it joined', async () => {
      const [issue] = await scene.issues([{ fingerprint: 'again' }])
      const review = sampleReview('rev_again')
      const finding = sampleFinding(review, 4, { fingerprint: 'again', title: 'odd \u0000 \ud800 title' })
      const plan = planByFingerprint([finding], () => 'iss_unused')
      const outcome = await triageOnce(scene.store, { review, findings: [finding], plan })
      expect(outcome).toEqual({ created: [], changed: [] })
      const findings = await scene.store.reviews.findingsOf(issue?.id ?? nobody)
      expect(findings).toHaveLength(2)
      expect(findings).toContainEqual(finding)
    })

    it('keeps every finding of a new issue as it was said, whatever becomes of the issue', async () => {
      const review = sampleReview('rev_together')
      const findings = [1, 2, 3].map((number) =>
        sampleFinding(review, 20_000 + number, { fingerprint: 'together', file: `together-${number}.ts` }),
      )
      const plan = planByFingerprint(findings, () => 'iss_together')
      const { created } = await triageOnce(scene.store, { review, findings, plan })
      const id = created[0]?.id ?? nobody
      expect(created).toHaveLength(1)
      expect(await scene.store.reviews.findingsOf(id)).toEqual(findings)
      await scene.store.issues.change(id, 'person', (before) => ({ ...before, title: 'other', file: null }))
      expect(await scene.store.reviews.findingsOf(id)).toEqual(findings)
      expect((await scene.store.reviews.ledger(id)).findings).toEqual(findings)
      expect(await scene.store.issues.get([id])).toMatchObject([
        { title: 'other', file: null, line: findings[0]?.line },
      ])
    })

    it('does not take a fingerprint that only begins alike for the same', async () => {
      const start = 'f'.repeat(40)
      await scene.issues([{ fingerprint: `${start}1`, file: 'begins.ts' }])
      const review = sampleReview('rev_begins')
      const findings = [sampleFinding(review, 21_000, { fingerprint: `${start}2`, file: 'other.ts' })]
      let seen: readonly Issue[] = []
      const plan = planByFingerprint(findings, () => 'iss_begins')
      await triageOnce(scene.store, { review, findings, plan: (known) => plan((seen = known)) })
      expect(seen).toEqual([])
    })

    it('stores changed issues and stamps them', async () => {
      const [issue] = await scene.issues([{ fingerprint: 'changed', file: 'changed.ts' }])
      const review = sampleReview('rev_changed')
      const finding = sampleFinding(review, 5, { fingerprint: 'changed', file: null })
      const { changed } = await triageOnce(scene.store, {
        review,
        findings: [finding],
        plan: (known) => ({
          created: [],
          changed: known.map((before) => ({ ...before, line: 77, task_id: review.id, rule: null })),
          issueOf: known.map((before) => before.id),
        }),
      })
      expect(changed).toEqual([
        { ...issue, line: 77, task_id: review.id, rule: null, updated_at: recordedAt },
      ])
      expect(await scene.store.issues.get(changed.map((after) => after.id))).toEqual(changed)
    })

    it('makes what changed known to every list and every later triage', async () => {
      const [issue] = await scene.issues([{ fingerprint: 'before', file: 'before.ts', severity: 'minor' }])
      const review = sampleReview('rev_foundagain')
      const after = {
        fingerprint: 'after',
        file: 'after.ts',
        severity: 'critical' as const,
        title: 'Said otherwise',
        priority: 99,
        task_id: review.id,
      }
      const finding = sampleFinding(review, 5, { fingerprint: 'before', file: null })
      await triageOnce(scene.store, {
        review,
        findings: [finding],
        plan: (known) => ({
          created: [],
          changed: known.map((before) => ({ ...before, ...after })),
          issueOf: known.map(({ id }) => id),
        }),
      })
      for (const asked of [
        { severity: ['critical' as const] },
        { text: 'said otherwise' },
        { taskId: review.id },
      ])
        expect(
          (await scene.store.issues.list({ repositoryId, limit: 50, ...asked })).issues,
          JSON.stringify(asked),
        ).toContainEqual(expect.objectContaining({ id: issue?.id, ...after }))
      const seen: Issue[] = []
      const later = sampleReview('rev_later')
      const moved = sampleFinding(later, 6, { fingerprint: 'after', file: null })
      await triageOnce(scene.store, {
        review: later,
        findings: [moved],
        plan: (known) => {
          seen.push(...known)
          return { created: [], changed: [], issueOf: known.map(({ id }) => id) }
        },
      })
      expect(seen.map(({ id }) => id)).toEqual([issue?.id])
    })

    it.each<readonly [string, (known: readonly Issue[]) => Partial<Issue>, string]>([
      ['moves an issue against the lifecycle', () => ({ status: 'merged' }), 'transition_refused'],
      ['takes away a code', () => ({ code: 'BE-999' }), 'internal'],
      ['changes an issue that it was not shown', () => ({ id: nobody }), 'internal'],
    ])('stores nothing when the plan %s', async (_, difference, code) => {
      const fingerprint = `refused ${code} ${_}`
      await scene.issues([{ fingerprint }])
      const review = sampleReview('rev_refused')
      const findings = [sampleFinding(review, 6, { fingerprint }), sampleFinding(review, 7)]
      const triage = triageOnce(scene.store, {
        review,
        findings,
        plan: (known) => ({
          created: [issueOf(findings[1] ?? sampleFinding(review, 7), 'iss_refused')],
          changed: known.slice(0, 1).map((issue) => ({ ...issue, ...difference(known) })),
          issueOf: [known[0]?.id ?? nobody, IssueId.parse('iss_refused')],
        }),
      })
      await expect(triage).rejects.toMatchObject({ code })
      expect(await scene.store.reviews.get(review.id)).toBeNull()
      expect(await scene.store.issues.get([IssueId.parse('iss_refused')])).toEqual([])
    })

    it('stores nothing when the plan throws', async () => {
      const review = sampleReview('rev_thrown')
      const plan = () => {
        throw new Error('planning failed')
      }
      await expect(triageOnce(scene.store, { review, findings: [], plan })).rejects.toThrow('planning failed')
      expect(await scene.store.reviews.get(review.id)).toBeNull()
    })

    describe.each([
      ['few', 1],
      ['many', 1_000_000],
    ])('in several parts, said to be %s', (name, count) => {
      const part = (review: Review, number: number, plan?: TriagePart['plan']): TriagePart => {
        const findings = [
          sampleFinding(review, 30_000 + number, { fingerprint: `parted ${name} ${number % 2}` }),
        ]
        return { findings, plan: plan ?? planByFingerprint(findings, () => `iss_parted${name}${number}`) }
      }

      it('shows each part what the parts before it made', async () => {
        const review = sampleReview(`rev_parted${name}`)
        const parts = [0, 1, 2, 3, 4, 5].map((number) => part(review, number))
        expect(await scene.store.issues.triage({ review, count, parts })).toEqual({ created: 2, changed: 0 })
        for (const number of [0, 1]) {
          const found = await scene.store.reviews.findingsOf(IssueId.parse(`iss_parted${name}${number}`))
          expect(found.map(({ id }) => id)).toEqual(
            [0, 2, 4].map((step) => parts[number + step]?.findings[0]?.id),
          )
        }
      })

      it.each<readonly [string, TriagePart['plan']]>([
        [
          'a later one cannot be planned',
          () => {
            throw new Error('planning failed')
          },
        ],
        [
          'a later one cannot be written',
          () => {
            const again = sampleFinding(sampleReview('rev_other'), 1)
            const created = [issueOf(again, `iss_parted${name}0`)]
            return { created, changed: [], issueOf: [IssueId.parse(`iss_parted${name}0`)] }
          },
        ],
      ])('stores no part when %s', async (_, plan) => {
        const review = sampleReview(`rev_half${name}`)
        async function* parts() {
          for (const number of [10, 11, 12]) yield part(sampleReview(`rev_x${number}`), number)
          yield part(review, 13, plan)
          yield part(review, 14)
        }
        await expect(scene.store.issues.triage({ review, count, parts: parts() })).rejects.toThrow()
        expect(await scene.store.reviews.get(review.id)).toBeNull()
        const [next] = await scene.issues([{}])
        const [after] = await scene.issues([{}])
        expect(Number(after?.code.slice(3))).toBe(Number(next?.code.slice(3)) + 1)
        expect(await scene.database.integrity()).toEqual([])
      })

      it('stores nothing when one of very many rows cannot be written', async () => {
        const review = sampleReview(`rev_row${name}`)
        const findings = Array.from({ length: 9_000 }, (_, at) => sampleFinding(review, 40_000 + at))
        // The first and the last issue have the same id.
        const plan = planByFingerprint(findings, (at) => `iss_row${name}${at % 8_999}`)
        await expect(
          scene.store.issues.triage({ review, count, parts: [{ findings, plan }] }),
        ).rejects.toMatchObject({ code: 'internal' })
        expect(await scene.store.reviews.get(review.id)).toBeNull()
        expect(await scene.store.issues.get([IssueId.parse(`iss_row${name}1`)])).toEqual([])
      })

      it('stores nothing when the first of very many rows cannot be written', async () => {
        const review = sampleReview(`rev_first${name}`)
        const findings = Array.from({ length: 9_000 }, (_, at) => sampleFinding(review, 60_000 + at))
        const plan = planByFingerprint(findings, (at) => `iss_first${name}${Math.max(1, at)}`)
        await expect(
          scene.store.issues.triage({ review, count, parts: [{ findings, plan }] }),
        ).rejects.toMatchObject({ code: 'internal' })
        expect(await scene.store.issues.get([IssueId.parse(`iss_first${name}8999`)])).toEqual([])
      })

      it('stores no part when the next one cannot be had', async () => {
        const review = sampleReview(`rev_cut${name}`)
        async function* parts() {
          yield part(review, 20)
          throw new Error('the rest is missing')
        }
        await expect(scene.store.issues.triage({ review, count, parts: parts() })).rejects.toThrow('rest')
        expect(await scene.store.reviews.get(review.id)).toBeNull()
      })
    })

    it('takes thousands of findings at once, and finds them all again', async () => {
      const review = sampleReview('rev_many')
      const findings = Array.from({ length: 5_000 }, (_, index) => sampleFinding(review, 10_000 + index))
      const plan = planByFingerprint(findings, (index) => `iss_many${index}`)
      const { created } = await triageOnce(scene.store, { review, findings, plan })
      expect(new Set(created.map((issue) => issue.code)).size).toBe(5_000)
      const again = sampleReview('rev_manyagain')
      const repeated = findings.map((finding, index) => ({
        ...sampleFinding(again, 10_000 + index),
        fingerprint: finding.fingerprint,
      }))
      const outcome = await triageOnce(scene.store, {
        review: again,
        findings: repeated,
        plan: planByFingerprint(repeated, () => 'iss_doubled'),
      })
      expect(outcome.created).toEqual([])
    })
  })
}

function describeChanges(makeDatabase: () => Promise<TestDatabase>): void {
  describe('changing an issue', () => {
    const scene = setScene(makeDatabase)

    it('keeps every move in the ledger, with who made it and why, and nothing of other edits', async () => {
      const { id } = await scene.issue()
      const move = (to: IssueStatus, actor: Actor, given: Partial<Issue> = {}) =>
        scene.store.issues.change(id, actor, (before) => ({ ...moveIssue(before, to, actor), ...given }))
      await move('ignored', 'person', { ignored: { reason: 'generated code', until: null } })
      await scene.store.issues.change(id, 'person', (before) => ({ ...before, title: 'other words' }))
      await move('open', 'engine', { ignored: null })
      await move('duplicate', 'person', { duplicate_of: nobody })
      const { moves } = await scene.store.reviews.ledger(id)
      expect(moves).toEqual([
        { at: recordedAt, by: 'person', from: 'open', to: 'ignored', note: 'generated code' },
        { at: recordedAt, by: 'engine', from: 'ignored', to: 'open', note: null },
        { at: recordedAt, by: 'person', from: 'open', to: 'duplicate', note: `duplicate of ${nobody}` },
      ])
    })

    it('applies the edit to the stored issue and stamps it', async () => {
      const issue = await scene.issue()
      const ignored = { reason: 'generated', until: null }
      const changed = await scene.store.issues.change(issue.id, 'person', (before) => ({
        ...moveIssue(before, 'ignored', 'person'),
        ignored,
      }))
      expect(changed).toEqual({ ...issue, status: 'ignored', ignored, updated_at: recordedAt })
      expect(await scene.store.issues.get([issue.id])).toEqual([changed])
    })

    it.each<readonly [IssueStatus, IssueStatus, Actor]>([
      ['open', 'merged', 'person'],
      ['open', 'in_progress', 'person'],
      ['in_progress', 'open', 'person'],
      ['merged', 'open', 'engine'],
      ['open', 'resolved', 'engine'],
    ])('refuses %s → %s by a %s, however the edit was made', async (from, to, actor) => {
      const issue = await scene.issue({ status: from })
      const change = scene.store.issues.change(issue.id, actor, (before) => ({ ...before, status: to }))
      await expect(change).rejects.toMatchObject({ code: 'transition_refused' })
      expect(await scene.store.issues.get([issue.id])).toEqual([issue])
    })

    it('changes one after the other all see the one before', async () => {
      const issue = await scene.issue()
      const vote = () =>
        scene.store.issues.change(issue.id, 'person', (before) => ({
          ...before,
          references: [...before.references, 'again'],
        }))
      await Promise.all(Array.from({ length: 20 }, vote))
      const [after] = await scene.store.issues.get([issue.id])
      expect(after?.references).toHaveLength(20)
    })

    it('says so when there is no such issue', async () => {
      const change = scene.store.issues.change(nobody, 'person', (issue) => issue)
      await expect(change).rejects.toThrow(Fault)
      await expect(change).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}
