import { nextToStart } from '../src/loop/session/schedule.ts'
import { advance } from '../src/model/attempt/advance-attempt.ts'
import type { Attempt } from '../src/model/attempt/attempt.ts'
import { AttemptId, type IssueId } from '../src/model/id.ts'
import { sampleAttempt, sampleSession } from '../test/fixtures/store/samples.ts'
import type { Figure } from './figure.ts'
import { createRandom } from './statistics.ts'

export const title = '100 issues on 30 skewed files, 8 at a time, in virtual time: against the lower bound'

const ISSUES = 100
const FILES = 30
const CONCURRENCY = 8
const RUNS = 25

export async function run(): Promise<readonly Figure[]> {
  const plans = Array.from({ length: RUNS }, (_, seed) => skewedJobs(seed + 1))
  const worst = (measure: (jobs: readonly Job[]) => number): number =>
    Math.max(...plans.map((jobs) => measure(jobs) / lowerBound(jobs)))
  const beside = `step barriers ${worst(withBarriers).toFixed(2)}, sequential ${worst(oneByOne).toFixed(2)}`
  const name = `worst of ${RUNS} sessions without barriers`
  return [{ name, value: worst(scheduled), limit: 1.1, unit: `× the lower bound (${beside})` }]
}

interface Job {
  readonly file: number
  readonly seconds: number
}

/** Few files have many of the issues, as in real reviews; agents take half a minute to three. */
function skewedJobs(seed: number): readonly Job[] {
  const random = createRandom(seed)
  const weights = Array.from({ length: FILES }, (_, file) => 1 / (file + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const pick = (): number => {
    let left = random() * total
    return weights.findIndex((weight) => (left -= weight) <= 0)
  }
  // Every file has an issue; the others fall where the skew puts them.
  return Array.from({ length: ISSUES }, (_, index) => ({
    file: index < FILES ? index : Math.max(0, pick()),
    seconds: 30 + random() * 150,
  }))
}

const total = (jobs: readonly Job[]): number => jobs.reduce((sum, { seconds }) => sum + seconds, 0)

const byFile = (jobs: readonly Job[]): readonly (readonly Job[])[] =>
  Array.from({ length: FILES }, (_, file) => jobs.filter((job) => job.file === file))

/** The least possible time when agents are limited and no two work on one file at once. */
const lowerBound = (jobs: readonly Job[]): number =>
  Math.max(total(jobs) / CONCURRENCY, ...byFile(jobs).map(total))

const oneByOne = total

/** Step n holds the n-th issue of every file, and begins when the step before it is complete. */
function withBarriers(jobs: readonly Job[]): number {
  const files = byFile(jobs)
  const steps = Math.max(...files.map((file) => file.length))
  let time = 0
  for (let step = 0; step < steps; step += 1)
    time += listSchedule(files.flatMap((file) => file[step] ?? []).map(({ seconds }) => seconds))
  return time
}

/** Gives each job, in the given order, to the agent that is free first. */
function listSchedule(durations: readonly number[]): number {
  const free = Array.from({ length: CONCURRENCY }, () => 0)
  for (const seconds of durations) free[free.indexOf(Math.min(...free))] = Math.min(...free) + seconds
  return Math.max(...free)
}

/** The real scheduler decides, and time jumps from the end of one job to the next. */
function scheduled(jobs: readonly Job[]): number {
  const places = { atOnce: CONCURRENCY, isBatched: false }
  let attempts = attemptsOf(jobs)
  const running = new Map<AttemptId, number>()
  let time = 0
  for (;;) {
    for (const attempt of nextToStart(attempts, new Set(running.keys()), places))
      running.set(attempt.id, time + (jobs[attempt.position]?.seconds ?? 0))
    const [next] = [...running].toSorted(([, a], [, b]) => a - b)
    if (!next) return time
    time = next[1]
    running.delete(next[0])
    const ended = { type: 'stopped', outcome: 'not_evaluated', reason: 'its time is over' } as const
    attempts = attempts.map((attempt) => (attempt.id === next[0] ? advance(attempt, ended) : attempt))
  }
}

function attemptsOf(jobs: readonly Job[]): readonly Attempt[] {
  const session = sampleSession('ses_1', [])
  const last = new Map<number, AttemptId>()
  return jobs.map(({ file }, position) => {
    const issue = { id: `iss_${position}` as IssueId, code: `BE-${position}` }
    const before = last.get(file)
    const id = AttemptId.parse(`att_${position}`)
    last.set(file, id)
    const attempt = sampleAttempt(id, session, issue as Parameters<typeof sampleAttempt>[2], position)
    return { ...attempt, files: [`file-${file}`], after: before ? [before] : [] }
  })
}
