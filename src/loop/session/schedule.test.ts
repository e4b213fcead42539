import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import type { AgentRun } from '../../model/agent/agent.ts'
import { ReportedOutcome, type IssueReport } from '../../model/agent/report.ts'
import {
  isResting,
  isSettled,
  waitingBehind,
  type Attempt,
  type AttemptAt,
  type AttemptEvent,
  type Revision,
} from '../../model/attempt/attempt.ts'
import type { AttemptId, CommitId, IssueId, SessionId, TreeId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Challenge } from '../../model/proof/challenge.ts'
import type { Gate } from '../../model/proof/gate.ts'
import type { Patch } from '../../model/proof/patch.ts'
import type { Extent, Verification } from '../../model/proof/verification.ts'
import type { Session, SessionOptions } from '../../model/session/session.ts'
import { endBundles } from '../batch/run-batch.ts'
import { stepOf } from '../context/recorder.ts'
import { planFixes } from '../plan.ts'
import { planAttempts } from './start-session.ts'
import { nextMoves } from './schedule.ts'

/** A few seconds' worth; `npm run test:fuzz` asks for more. */
const runs = Number(process.env['FIXPOINT_FUZZ_RUNS'] ?? 400)
/** More steps than any of these sessions needs: one that takes more goes in circles. */
const mostSteps = 4_000

interface Case {
  readonly issues: readonly Issue[]
  readonly options: SessionOptions
  readonly seed: number
  readonly isPoor: boolean
}

const drawnIssue = fc.record({
  file: fc.option(fc.nat(4), { nil: null }),
  class: fc.constantFrom('BE' as const, 'FE' as const, 'GEN' as const),
  effort: fc.integer({ min: 1, max: 5 }),
  filesCount: fc.integer({ min: 1, max: 4 }),
  priority: fc.nat(3),
  dependsOn: fc.array(fc.nat(11), { maxLength: 2 }),
})

const drawnCase: fc.Arbitrary<Case> = fc
  .record({
    drawn: fc.array(drawnIssue, { minLength: 1, maxLength: 12 }),
    strategy: fc.constantFrom('isolated' as const, 'sequential' as const, 'single-call' as const),
    concurrency: fc.integer({ min: 1, max: 4 }),
    maxRounds: fc.integer({ min: 0, max: 3 }),
    maxIssues: fc.integer({ min: 1, max: 5 }),
    challenge: fc.boolean(),
    seed: fc.nat(),
    isPoor: fc.boolean(),
  })
  .map(({ drawn, strategy, concurrency, maxRounds, maxIssues, challenge, seed, isPoor }) => ({
    issues: drawn.map((one, at) => toIssue(one, at, drawn.length)),
    options: {
      strategy,
      concurrency,
      max_batch_issues: maxIssues,
      policy: {
        max_rounds: maxRounds,
        threshold: 90,
        challenge,
        min_evidence: 'E0',
        unattended: 'hold',
      },
    } as SessionOptions,
    seed,
    isPoor,
  }))

type Drawn = typeof drawnIssue extends fc.Arbitrary<infer One> ? One : never

const toIssue = (drawn: Drawn, at: number, count: number): Issue =>
  ({
    id: `iss_${at}` as IssueId,
    code: `${drawn.class}-${at}`,
    title: `issue ${at}`,
    file: drawn.file === null ? null : `f${drawn.file}.ts`,
    class: drawn.class,
    line: at,
    priority: drawn.priority,
    depends_on: drawn.dependsOn.filter((on) => on < count && on !== at).map((on) => `iss_${on}` as IssueId),
    estimated_effort: drawn.effort,
    estimated_files_count: drawn.filesCount,
  }) as unknown as Issue

const base: Revision = { commit: 'c'.repeat(40) as CommitId, tree: '0'.repeat(40) as TreeId }
const sha = (number: number): string => number.toString(16).padStart(40, '0')
const run = sampleRun({ agent: 'fake', duration_ms: 1 })
const failedRun = (kind: 'crashed' | 'timeout'): AgentRun => ({
  ...run,
  ending: { ended: 'failed', kind, message: kind, reset_at: null },
})

/** Chance, the same for the same seed. */
function createChance(seed: number) {
  let state = seed >>> 0
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    happens: (share: number): boolean => random() < share,
    below: (limit: number): number => Math.floor(random() * limit),
    pick: <One>(of: readonly [One, ...One[]]): One => of[Math.floor(random() * of.length)] ?? of[0],
  }
}

type Chance = ReturnType<typeof createChance>

/** Something under way that ends at a time of its own. */
type Job = { readonly endsAt: number } & (
  | { readonly kind: 'step'; readonly id: AttemptId }
  | { readonly kind: 'batch'; readonly members: readonly AttemptAt<'queued'>[] }
  | { readonly kind: 'landing'; readonly train: readonly AttemptAt<'accepted'>[] }
)

/** A session whose agents, checks, people and crashes are chance, in virtual time; what decides is the real thing. */
function createWorld({ issues, options, seed, isPoor }: Case) {
  const chance = createChance(seed)
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  let ids = 0
  const planned = planAttempts(
    planFixes(issues),
    { id: 'ses_1' as SessionId, options },
    () => `att_${(ids += 1)}` as AttemptId,
  )
  const attempts = new Map(planned.map((attempt) => [attempt.id, attempt]))
  let jobs: readonly Job[] = []
  let now = 0
  let isHalted = false
  const all = (): readonly Attempt[] => [...attempts.values()]
  const record = (attempt: Attempt, event: AttemptEvent): void => {
    const { after } = stepOf(attempt, event)
    attempts.set(after.id, after)
  }
  const begin = (job: Job): void => void (jobs = [...jobs, job])
  const endsAt = (): number => now + 1 + chance.below(20)
  const running = (): ReadonlySet<AttemptId> =>
    new Set(
      jobs.flatMap((job) =>
        job.kind === 'step' ? [job.id] : job.kind === 'batch' ? job.members.map(({ id }) => id) : [],
      ),
    )
  const recorder = {
    session: () => ({ tip: base }) as Session,
    attempts: all,
    recordStep: async ({ after }: { readonly after: Attempt }) => void attempts.set(after.id, after),
  }

  async function decide(): Promise<void> {
    await endBundles(recorder)
    const isLanding = jobs.some(({ kind }) => kind === 'landing')
    const moves = nextMoves(
      {
        attempts: all(),
        running: running(),
        isLanding,
        tip: base,
        options,
        isHalted,
        affordable: affordable(),
      },
      byId,
    )
    if (moves.batch.length > 0) begin({ kind: 'batch', members: moves.batch, endsAt: endsAt() })
    for (const { id } of moves.start) begin({ kind: 'step', id, endsAt: endsAt() })
    if (moves.train.length > 0) begin({ kind: 'landing', train: moves.train, endsAt: endsAt() })
  }

  function finish(job: Job): void {
    if (job.kind === 'batch') return finishBatch(job.members)
    if (job.kind === 'landing') return job.train.forEach((one) => record(one, landingEvent(one, chance)))
    const attempt = attempts.get(job.id)
    if (!attempt || isResting(attempt)) throw new Error(`${job.id} had nothing to do`)
    expect(attempt.after.map((id) => attempts.get(id)?.stage)).toEqual(attempt.after.map(() => 'settled'))
    record(attempt, stepEvent(attempt, chance))
    const after = attempts.get(job.id)
    // As the driver does, it goes on by itself until it rests.
    if (after && !isResting(after)) begin({ kind: 'step', id: job.id, endsAt: endsAt() })
  }

  function finishBatch(members: readonly AttemptAt<'queued'>[]): void {
    if (options.policy.max_rounds === 0)
      return members.forEach((one) => record(one, { type: 'started', base }))
    if (chance.happens(0.05))
      return members.forEach((one) => record(one, { type: 'stopped', outcome: 'not_evaluated', reason: 'x' }))
    const sent = members.slice(0, chance.happens(0.2) ? 1 + chance.below(members.length) : members.length)
    divide(sent, chance).forEach((event, at) => {
      const one = sent[at]
      if (one) record(one, event)
    })
  }

  /** Where money is short, something begins only when it is paid; with nothing under way, one always can. */
  const affordable = (): number => {
    if (!isPoor) return Number.POSITIVE_INFINITY
    return jobs.length > 0 ? chance.below(3) : 1
  }

  const answerOne = (): boolean => {
    const [held] = all().filter((attempt) => attempt.stage === 'held')
    if (!held) return false
    record(
      held,
      chance.happens(0.5)
        ? { type: 'approved', paths: ['t.test.ts'], by: 'a person' }
        : { type: 'rejected', reason: 'no' },
    )
    return true
  }

  return {
    all,
    /** One moment; false once nothing is left to happen. */
    async step(): Promise<boolean> {
      await decide()
      const next = jobs.toSorted((a, b) => a.endsAt - b.endsAt)[0]
      if (!next) {
        const wasHalted = isHalted
        isHalted = false
        return wasHalted || (chance.happens(0.8) && answerOne())
      }
      now = next.endsAt
      jobs = jobs.filter((job) => job !== next)
      // A kill: nothing of what was under way is recorded, and the session is taken up again.
      if (chance.happens(0.03)) jobs = []
      else finish(next)
      if (chance.happens(0.05)) answerOne()
      if (chance.happens(0.02)) isHalted = true
      return true
    },
  }
}

const reportOf = (outcome: IssueReport['outcome']): IssueReport => ({
  outcome,
  files_modified: [],
  changes_summary: '',
  explanation: 'why',
  confidence: null,
  completeness: null,
  risks: [],
})

const outcomes = ['fixed', 'fixed', 'fixed', ...ReportedOutcome.options] as const

function agentEnd(chance: Chance): { readonly run: AgentRun; readonly report: IssueReport | null } {
  if (chance.happens(0.05)) return { run: failedRun('crashed'), report: null }
  if (chance.happens(0.05)) return { run: failedRun('timeout'), report: null }
  return { run, report: reportOf(chance.pick(outcomes)) }
}

/** What one agent did for several: some of those it calls fixed share a patch. */
function divide(sent: readonly AttemptAt<'queued'>[], chance: Chance): readonly AttemptEvent[] {
  const ended = sent.map((attempt) => ({ attempt, ...agentEnd(chance) }))
  const divided = { tree: base.tree, refused: [] }
  let lead: AttemptAt<'queued'> | null = null
  const followers: AttemptAt<'queued'>[] = []
  for (const { attempt, report } of ended) {
    if (report?.outcome !== 'fixed' || chance.happens(0.5)) continue
    if (lead) followers.push(attempt)
    else lead = attempt
  }
  const bundle = followers.map(({ id, issue_id, issue_code }) => ({ attempt_id: id, issue_id, issue_code }))
  const leadId = lead?.id ?? null
  return ended.map(({ attempt, run: ran, report }) => ({
    type: 'batch_ended',
    base,
    run: ran,
    report,
    divided,
    bundle: attempt.id === leadId ? bundle : [],
    lead: followers.includes(attempt) ? leadId : null,
  }))
}

function stepEvent(attempt: Attempt, chance: Chance): AttemptEvent {
  if (chance.happens(0.03)) return { type: 'stopped', outcome: 'not_evaluated', reason: 'it broke' }
  switch (attempt.stage) {
    case 'queued':
      return { type: 'started', base }
    case 'fixing':
      return { type: 'agent_ended', ...agentEnd(chance) }
    case 'inspecting':
      return chance.happens(0.05) ? { type: 'workspace_lost' } : inspected(chance)
    case 'verifying':
      return verified(chance)
    case 'doubting':
    case 'challenging':
      return { type: 'challenged', challenge: challenge(chance) }
    default:
      throw new Error(`nothing happens at ${attempt.stage}`)
  }
}

function inspected(chance: Chance): AttemptEvent {
  const held: Gate = {
    name: 'tests',
    status: 'failed',
    reason: 'a test is weaker',
    paths: ['t.test.ts'],
    asks: { whom: 'person', question: 'may it?' },
  }
  const refused: Gate = { name: 'scope', status: chance.pick(['failed', 'not_evaluated']), reason: 'no' }
  const gates = chance.happens(0.2) ? [held] : chance.happens(0.2) ? [refused] : []
  const patch: Patch = {
    base_tree: sha(chance.below(3)) as TreeId,
    tree: sha(chance.below(1_000)) as TreeId,
    files: [],
    refused: [],
  }
  return { type: 'inspected', patch, diff: '', gates, next_tree: base.tree, files_outside_finding: [] }
}

const verification = (status: Verification['status'], runs: Extent['runs']): Verification => ({
  status,
  reason: status,
  tree: base.tree,
  commands: [],
  depends_on_patch: true,
  extent: { runs, reason: runs, files: [] },
})

function verified(chance: Chance): AttemptEvent {
  const runs = chance.pick<Extent['runs']>(['whole', 'affected', 'none'])
  const green = runs === 'none' ? ('not_applicable' as const) : ('passed' as const)
  const status = chance.pick<Verification['status']>([green, green, 'failed', 'not_evaluated'])
  const gate: Gate = { name: 'verification', status, reason: status }
  return { type: 'verified', verification: verification(status, runs), gates: [gate] }
}

const challenge = (chance: Chance): Challenge => ({
  status: chance.pick(['accepted', 'accepted', 'refused', 'not_evaluated']),
  score: 50,
  quality_scores: null,
  feedback: 'hm',
  improvements_needed: [],
  agent: 'judge',
})

function landingEvent({ verification: own }: AttemptAt<'accepted'>, chance: Chance): AttemptEvent {
  if (chance.happens(0.15)) return { type: 'conflicted', base, paths: ['f'] }
  if (chance.happens(0.15))
    return { type: 'landing_refused', base, tree: base.tree, verification: { ...own, status: 'failed' } }
  return { type: 'landed', commit_sha: base.commit, commit_message: 'm', evidence: 'E1' }
}

it('whatever the plan, the strategy and the order of events, every attempt is settled or waits for a person', async () => {
  await fc.assert(
    fc.asyncProperty(drawnCase, async (drawn) => {
      const world = createWorld(drawn)
      let steps = 0
      while (await world.step()) expect((steps += 1)).toBeLessThan(mostSteps)
      const waiting = waitingBehind(world.all(), ['held'])
      const stranded = world.all().filter((attempt) => !isSettled(attempt) && !waiting.has(attempt.id))
      expect(stranded.map(({ issue_code, stage }) => `${issue_code} is ${stage}`)).toEqual([])
    }),
    { numRuns: runs },
  )
}, 1_200_000)
