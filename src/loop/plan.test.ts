import { describe, expect, it } from 'vitest'
import type { AttemptId, IssueId, TreeId } from '../model/id.ts'
import type { Attempt } from '../model/attempt/attempt.ts'
import type { Issue } from '../model/issue/issue.ts'
import type { SessionOptions } from '../model/session/session.ts'
import { planFixes, workloadOf } from './plan.ts'
import { nextToStart, nextTrain } from './session/schedule.ts'

const issue = (name: string, given: Partial<Issue> = {}): Issue =>
  ({
    id: `iss_${name}` as IssueId,
    code: name.toUpperCase(),
    title: name,
    file: `${name}.ts`,
    line: 1,
    priority: 50,
    depends_on: [],
    estimated_effort: null,
    estimated_files_count: null,
    ...given,
  }) as Issue

const steps = (...issues: Issue[]): string[][] =>
  planFixes(issues).execution_steps.map(({ issues: members }) => members.map(({ code }) => code))

describe('steps', () => {
  it('different files share a step', () => {
    expect(steps(issue('a'), issue('b'), issue('c'))).toEqual([['A', 'B', 'C']])
  })
  it.each([2, 3, 4])('%i issues on one file take as many steps', (count) => {
    const issues = Array.from({ length: count }, (_, index) =>
      issue(`x${index}`, { file: 'same.ts', line: index + 1 }),
    )
    expect(steps(...issues, issue('z'))).toHaveLength(count)
  })
  it('what another depends on comes first, also over files', () => {
    expect(
      steps(issue('a', { depends_on: ['iss_b' as IssueId], priority: 99 }), issue('b', { priority: 1 })),
    ).toEqual([['B'], ['A']])
  })
  it('a circle of dependencies is cut, nothing is lost', () => {
    const plan = steps(
      issue('a', { depends_on: ['iss_b' as IssueId] }),
      issue('b', { depends_on: ['iss_a' as IssueId] }),
    )
    expect(plan.flat().toSorted()).toEqual(['A', 'B'])
  })
  it('the longest file comes first in its step, then the most urgent', () => {
    expect(
      steps(issue('a', { priority: 99 }), issue('b', { file: 's' }), issue('c', { file: 's', line: 9 })),
    ).toEqual([['B', 'A'], ['C']])
  })
  it('nothing makes an empty plan', () => expect(steps()).toEqual([]))
  it('a predecessor outside of the session is no reason to wait', () => {
    expect(
      planFixes([issue('a', { depends_on: ['iss_elsewhere' as IssueId] })]).execution_steps[0]?.issues[0]
        ?.depends_on,
    ).toEqual([])
  })
})

it('workload is effort × files, 3 × 1 without estimates', () => {
  expect(workloadOf(issue('a'))).toBe(3)
  expect(workloadOf(issue('a', { estimated_effort: 4, estimated_files_count: 3 }))).toBe(12)
})

const attempt = (name: string, position: number, given: object = {}): Attempt =>
  ({ id: `att_${name}` as AttemptId, position, after: [], stage: 'queued', ...given }) as unknown as Attempt
const after = (...names: string[]) => ({ after: names.map((name) => `att_${name}` as AttemptId) })
const names = (attempts: readonly Attempt[]): string[] => attempts.map(({ id }) => id.slice(4))
const nobody: ReadonlySet<AttemptId> = new Set()
const isolated = { strategy: 'isolated' } as SessionOptions
const landing = (attempts: readonly Attempt[], tip: { tree: TreeId }, running: ReadonlySet<AttemptId>) =>
  nextTrain({ attempts, tip, running, options: isolated })
const alone = (atOnce: number) => ({ atOnce, isBatched: false })

describe('what starts next', () => {
  it('as many as there is room for, the longest remaining chain first', () => {
    const all = [attempt('a', 0), attempt('b', 1), attempt('c', 2, after('b')), attempt('d', 3, after('c'))]
    expect(names(nextToStart(all, nobody, alone(2)))).toEqual(['b', 'a'])
    expect(nextToStart(all, new Set(['att_a', 'att_b'] as AttemptId[]), alone(2))).toEqual([])
  })
  it('never two of one file at once: the second waits until the first is settled', () => {
    const waiting = attempt('b', 1, after('a'))
    expect(names(nextToStart([attempt('a', 0, { stage: 'accepted' }), waiting], nobody, alone(4)))).toEqual(
      [],
    )
    expect(names(nextToStart([attempt('a', 0, { stage: 'settled' }), waiting], nobody, alone(4)))).toEqual([
      'b',
    ])
  })
  it('what came back from landing goes before what has not begun', () => {
    expect(
      names(nextToStart([attempt('a', 0), attempt('b', 1, { stage: 'fixing' })], nobody, alone(1))),
    ).toEqual(['b'])
  })
})

describe('what lands next', () => {
  const tip = { tree: 'tip' as TreeId }
  const busy = new Set(['att_d' as AttemptId])
  const patch = { base_tree: 'older', tree: 'x' }

  it('the accepted ones in plan order up to the first that is not settled, once somebody waits for one', () => {
    const all = [
      attempt('a', 0, { stage: 'settled' }),
      attempt('c', 2, { stage: 'accepted', patch }),
      attempt('b', 1, { stage: 'accepted', patch }),
      attempt('d', 3, { stage: 'fixing' }),
      attempt('e', 4, { stage: 'accepted', patch }),
    ]
    expect(names(landing(all, tip, busy))).toEqual([])
    const waiting = attempt('f', 5, after('b'))
    expect(names(landing([...all, waiting], tip, busy))).toEqual(['b', 'c'])
    expect(
      names(
        landing(
          all.filter(({ stage }) => stage !== 'fixing'),
          tip,
          nobody,
        ),
      ),
    ).toEqual(['b', 'c', 'e'])
  })

  it('one whose own tree becomes the tip, at once', () => {
    const own = { stage: 'accepted', patch: { base_tree: 'tip', tree: 'x' }, verification: {} }
    const free = attempt('a', 0, own)
    const next = attempt('b', 1, { stage: 'accepted', patch: { base_tree: 'tip', tree: 'y' } })
    const running = attempt('d', 2, { stage: 'fixing' })
    expect(names(landing([free, next, running], tip, busy))).toEqual(['a'])
    const landed = { tree: 'x' as TreeId }
    expect(names(landing([attempt('a', 0, { stage: 'settled' }), next, running], landed, busy))).toEqual([])
    const part = attempt('a', 0, { ...own, verification: { extent: { runs: 'affected' } } })
    expect(names(landing([part, next, running], tip, busy))).toEqual([])
  })

  it('at most 32 together, without waiting for more', () => {
    const many = Array.from({ length: 40 }, (_, at) => attempt(`x${at}`, at, { stage: 'accepted' }))
    expect(landing([...many, attempt('z', 99)], tip, new Set(['att_z' as AttemptId]))).toHaveLength(32)
  })

  it('what does not wait for a person, when nothing else is on its way', () => {
    const all = [attempt('a', 0, { stage: 'held' }), attempt('b', 1, { stage: 'accepted', patch })]
    expect(names(landing(all, tip, nobody))).toEqual(['b'])
  })

  it('what does not wait behind one that waits for a person', () => {
    const all = [
      attempt('a', 0, { stage: 'held' }),
      attempt('b', 1, after('a')),
      attempt('c', 2, { stage: 'accepted', patch }),
    ]
    expect(names(landing(all, tip, nobody))).toEqual(['c'])
  })
})
