import { chooseIssues } from '../src/app/fix/choose-issues.ts'
import { resolveBase } from '../src/app/resolve-base.ts'
import { sessionOptions } from '../src/app/prepare/session-options.ts'
import { createRecorder } from '../src/loop/context/recorder.ts'
import { inspectAttempt } from '../src/loop/attempt/inspect.ts'
import { startSession } from '../src/loop/session/start-session.ts'
import type { AttemptAt, Revision } from '../src/model/attempt/attempt.ts'
import { makeProject, type Project } from '../test/fixtures/project.ts'
import type { Figure } from './figure.ts'
import { median } from './statistics.ts'

export const title = 'All gates but the verification, on a patch of 2,000 lines in ten files'

const FILES = 10
/** Each changed line counts as one removed line and one added line. */
const CHANGED = 100
const RUNS = 7
const MOST_MS = 300

export async function run(): Promise<readonly Figure[]> {
  const project = await makeProject({ files: filesWith('a - b'), verify: 'node check.mjs' })
  try {
    await project.import([{ file: 'src/module-0.ts', line: 1, title: 'wrong sums', rule: 'sum' }])
    const [first = Number.NaN, ...further] = await measure(project)
    return [
      { name: 'median', value: median(further), limit: MOST_MS, unit: 'ms' },
      { name: 'the first in a process', value: first, limit: MOST_MS * 5, unit: 'ms' },
    ]
  } finally {
    await project.close()
  }
}

async function measure(project: Project): Promise<readonly number[]> {
  const { app } = project
  const ports = await app.ports()
  const issues = await chooseIssues(app, { all: true })
  const base = await resolveBase(app)
  project.write(filesWith('a + b'))
  project.commitAll('patched')
  const { tree } = await resolveBase(app)
  const request = {
    branch: null,
    useExistingBranch: false,
    owner: 'bench',
    options: sessionOptions(app, null),
  }
  const { session, attempts } = await startSession(
    { ...request, repositoryId: app.repository.id, issues, base },
    ports,
  )
  const [[issue], [queued]] = [issues, attempts]
  if (!issue || queued?.stage !== 'queued') throw new Error('there is no issue')
  const context = {
    ports,
    recorder: createRecorder({ session, attempts }, ports),
    endNow: new AbortController().signal,
    issues: new Map([[issue.id, issue]]),
  }
  const times: number[] = []
  for (let at = 0; at <= RUNS; at += 1) {
    const startedAt = performance.now()
    const event = await inspectAttempt(inspecting(queued, base, tree), context)
    times.push(performance.now() - startedAt)
    const open = event.type === 'inspected' ? event.gates.filter(({ status }) => status === 'passed') : []
    if (open.length !== 5)
      throw new Error(
        `the patch does not pass: ${JSON.stringify(event.type === 'inspected' ? event.gates : event)}`,
      )
  }
  return times
}

const inspecting = (
  queued: AttemptAt<'queued'>,
  base: Revision,
  tree: Revision['tree'],
): AttemptAt<'inspecting'> => ({
  ...queued,
  stage: 'inspecting',
  base,
  from_tree: base.tree,
  round: 1,
  feedback: [],
  divided: { tree, refused: [] },
  run: {
    agent: 'bench',
    model: null,
    ending: { ended: 'finished' },
    text: '',
    tokens: 0,
    cost_usd: 0,
    conversation_id: null,
    duration_ms: 0,
  },
  report: {
    outcome: 'fixed',
    files_modified: [],
    changes_summary: '',
    explanation: '',
    confidence: null,
    completeness: null,
    risks: [],
  },
})

/** Sources and their tests; each test gets a further assertion. */
const filesWith = (sum: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: FILES }, (_, file) => [
      file % 5 === 4 ? `test/module-${file}.test.ts` : `src/module-${file}.ts`,
      file % 5 === 4 ? testText(file, sum) : sourceText(file, sum),
    ]),
  )

/** Every module loads the one of the finding, so that all of them are in its scope. */
const sourceText = (file: number, sum: string): string =>
  `${file === 0 ? '' : "import './module-0.ts'\n\n"}${Array.from(
    { length: CHANGED },
    (_, at) =>
      `/** Number ${at} of module ${file}. */\nexport function sum${at}(a: number, b: number): number {\n  return ${sum}\n}\n`,
  ).join('\n')}`

const testText = (file: number, sum: string): string =>
  `import { expect, it } from 'vitest'\n${Array.from(
    { length: CHANGED },
    (_, at) =>
      `it('adds ${at} in ${file}', () => {\n  expect(${at}).toBe(${at})\n${sum === 'a + b' ? `  expect(1 + ${at}).toBe(${at + 1})\n  expect(${at} - 0).toBe(${at})\n` : ''}})\n`,
  ).join('')}`
