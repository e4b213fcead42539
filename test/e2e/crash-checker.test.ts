// The checker that judges the crash tests must itself be able to say no, so every invariant is violated on purpose here.
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  openCrashStage,
  type CrashScene,
  type CrashStage,
  type Ended,
} from '../fixtures/recovery/crash-scene.ts'
import { canary } from '../fixtures/recovery/five-issues.ts'
import { digestOf, findViolations } from '../fixtures/recovery/invariants.ts'
import { git } from '../fixtures/recovery/read-state.ts'

let stage: CrashStage
let scene: CrashScene
let result: Ended['result']

beforeAll(async () => {
  stage = await openCrashStage()
  scene = await stage.makeScene()
  const ended = await scene.run('fix')
  if (!ended) throw new Error('it was killed')
  result = ended.result
  await scene.keep()
})
afterAll(() => stage.dispose())

const inHome = (...parts: string[]): string => join(scene.place.home, ...parts)
const inRoot = (...parts: string[]): string => join(scene.place.root, ...parts)
const ref = (): string => `refs/heads/${result.branch_name}`

function change(sql: string): void {
  const database = new DatabaseSync(inHome('fixpoint.db'))
  database.exec(sql)
  database.close()
}

/** A commit of the branch's own tree on top of it, and the branch moved there. */
function commitOnTop(message: string): void {
  const tip = git(scene.place, 'rev-parse', ref())
  const commit = git(scene.place, 'commit-tree', '-p', tip, '-m', message, `${tip}^{tree}`)
  git(scene.place, 'update-ref', ref(), commit)
}

/** The last review, as if somebody had asked for it over HTTP, with events of these kinds. */
const tellReview = (...events: readonly (readonly [number, string])[]): void =>
  change(
    events
      .map(
        ([seq, type]) =>
          `insert into review_event (review_id, seq, data) select max(id), ${seq}, '{"type":"${type}"}' from review;`,
      )
      .join(''),
  )

const lastFixed = (): string => `(select id from issue where status = 'resolved' order by id limit 1)`

/** Cuts off a blob that only the fix holds. */
function breakObject(): void {
  const blob = git(scene.place, 'rev-parse', `${ref()}:a.txt`)
  const path = inRoot('.git/objects', blob.slice(0, 2), blob.slice(2))
  chmodSync(path, 0o600)
  truncateSync(path, 5)
}

const violations: readonly (readonly [string, string, () => void])[] = [
  ['I1', 'a file of the checkout has one more line', () => appendFileSync(inRoot('a.txt'), 'more\n')],
  ['I1', 'a file is new in the checkout', () => writeFileSync(inRoot('new.txt'), '')],
  ['I1', 'the mode of a file is another one', () => chmodSync(inRoot('a.txt'), 0o755)],
  ['I1', 'git has another setting', () => git(scene.place, 'config', 'user.name', 'Eve')],
  ['I1', 'HEAD is elsewhere', () => git(scene.place, 'symbolic-ref', 'HEAD', 'refs/heads/other')],
  ['I1', 'something is staged', () => git(scene.place, 'rm', '-q', '--cached', 'a.txt')],
  ['I2', 'a tip has lost its note', () => git(scene.place, 'notes', '--ref', 'fixpoint', 'remove', ref())],
  ['I2', 'a tip was never verified', () => commitOnTop('nobody verified this')],
  ['I3', 'a commit names no issue', () => commitOnTop('nobody asked for this')],
  [
    'I3',
    'an issue with a commit is open',
    () =>
      change(
        `update issue set status = 'open', data = json_set(data, '$.status', 'open') where id = ${lastFixed()}`,
      ),
  ],
  [
    'I3',
    'an issue is resolved by a commit that is on no branch',
    () => git(scene.place, 'update-ref', '-d', ref()),
  ],
  ['I4', 'an issue has two commits', () => commitOnTop(git(scene.place, 'log', '-1', '--format=%B', ref()))],
  [
    'I5',
    'an attempt of a session that is over is not settled',
    () => change(`update attempt set data = json_set(data, '$.stage', 'fixing') where position = 0`),
  ],
  [
    'I5',
    'an issue is still claimed by a session that is over',
    () =>
      change(
        `update issue set status = 'in_progress', data = json_set(data, '$.status', 'in_progress') where id = ${lastFixed()}`,
      ),
  ],
  ['I6', 'an object is damaged', breakObject],
  [
    'I6',
    'a lock is left',
    () =>
      writeFileSync(
        inHome('repositories', readdirSync(inHome('repositories'))[0] ?? '', 'git/config.lock'),
        '',
      ),
  ],
  ['I7', 'a workspace is left', () => mkdirSync(inHome('workspaces/att_left'), { recursive: true })],
  ['I7', 'a temporary file is left', () => writeFileSync(join(scene.place.env['TMPDIR'] ?? '', 'left'), '')],
  [
    'I7',
    'an artifact is half written',
    () => writeFileSync(inHome('artifacts', result.session_id, 'x.part'), ''),
  ],
  ['I8', 'an event is missing', () => change('delete from event where seq = 3')],
  [
    'I8',
    'an event is missing at the end',
    () => change('delete from event where seq = (select max(seq) from event)'),
  ],
  ['I8', 'an event of a review is missing', () => tellReview([1, 'review_started'], [3, 'review_completed'])],
  ['I5', 'a review has no end', () => tellReview([1, 'review_started'])],
  ['I5', 'a review has two ends', () => tellReview([1, 'review_completed'], [2, 'review_error'])],
  [
    'I9',
    'a secret is in what is kept',
    () => appendFileSync(inHome('artifacts', result.session_id, 'master_todo.json'), canary),
  ],
  ['I9', 'a secret is in a commit message', () => commitOnTop(`it says ${canary}`)],
]

const found = (): readonly string[] =>
  findViolations(scene.place, { own: scene.own, canaries: [canary] }).map((text) => text.slice(0, 2))

it('everything holds where nothing was violated', async () => {
  await scene.reset()
  expect(found()).toEqual([])
})

it.each(violations)('%s does not hold when %s', async (invariant, _, violate) => {
  await scene.reset()
  violate()
  expect(found()).toContain(invariant)
})

it('I7 does not hold when a process is left', async () => {
  await scene.reset()
  const text = execFileSync('sh', ['-c', 'sleep 600 > /dev/null 2>&1 & echo $!'], { cwd: scene.place.home })
  try {
    expect(found()).toEqual(['I7'])
  } finally {
    process.kill(Number(text.toString()), 'SIGKILL')
  }
})

it('I10 does not hold when anything stored is another one', async () => {
  await scene.reset()
  const before = digestOf(scene.place)
  expect(digestOf(scene.place)).toBe(before)
  for (const table of ['issue', 'session', 'attempt', 'event']) {
    const last = digestOf(scene.place)
    change(`update ${table} set data = json_set(data, '$.changed', 1)`)
    expect(digestOf(scene.place)).not.toBe(last)
  }
})
