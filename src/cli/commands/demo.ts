import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { differencesOf } from '../../app/demo/judge-demo.ts'
import { makeSample, type Sample } from '../../app/demo/make-sample.ts'
import { fixIssues, type FixOutcome } from '../../app/fix-issues.ts'
import type { App } from '../../app/open-app.ts'
import { reviewRepository } from '../../app/review-repository.ts'
import { withApp, type CommandContext, type RunCommand } from '../command.ts'
import { describeResult, issueTable } from '../describe.ts'
import { listenForInterrupts } from '../interrupts.ts'
import type { Output } from '../output.ts'
import { createProgress } from '../progress.ts'

interface Options {
  readonly keep?: boolean
}

type Session = FixOutcome['result']

/** Makes the sample repository, reviews and fixes it before the person's eyes, and removes it again. */
export const run: RunCommand<Options> = async (context, { keep = false }) => {
  const { output } = context
  const startedAt = performance.now()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fixpoint-demo-')))
  const interrupts = listenForInterrupts(() => output.say('stopping'))
  try {
    const sample = await makeSample(folder, context.env)
    const inSample = { ...context, cwd: sample.root, env: sample.env }
    const session = await withApp(inSample, {}, (app) => reviewAndFix(app, inSample, interrupts.stop))
    const log = session.branch_name ? await sample.git('log', '--oneline', `main..${session.branch_name}`) : []
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10
    const interrupted = interrupts.exitCode()
    if (interrupted === null) output.print(await describeEnd({ sample, session, log, seconds }, output))
    if (keep) output.print(`\nKept: ${sample.root}`)
    output.result({ schema: 'fixpoint.demo.v1', session, seconds, log })
    if (interrupted !== null) return interrupted
    const differences = differencesOf(session, log)
    differences.forEach((difference) => output.say(`not as intended: ${difference}`))
    return differences.length === 0 ? 0 : 1
  } finally {
    if (!keep) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    interrupts.end()
  }
}

/** Nobody resumes a demo: its first Ctrl-C stops at once. */
async function reviewAndFix(app: App, { output }: CommandContext, stop: AbortSignal): Promise<Session> {
  const { bold } = painters(output)
  output.print(`${bold('Review')}  a small shop in a new git repository, read by the built-in rules`)
  const { created } = await reviewRepository(app, [], uninterrupted)
  output.print(`${issueTable(created, output)}\n`)
  const { concurrency } = app.loaded.config.fix
  output.print(`${bold('Fix')}  ${concurrency} at once, each in a copy of its own; the tests of the shop decide what may stay`)
  const progress = createProgress(output, process.stderr)
  const unsubscribe = app.subscribe(progress.onEvent)
  try {
    const { result } = await fixIssues(app, everything, { stop, abort: stop })
    return result
  } finally {
    unsubscribe()
    progress.end()
  }
}

/** A review that was cut off is a fault; this one takes less than a second, so that the stop comes after it. */
const uninterrupted = new AbortController().signal

const everything = {
  codes: [],
  all: true,
  severities: [],
  statuses: [],
  base: null,
  branch: null,
  useExistingBranch: false,
  notes: null,
}

interface Played {
  readonly sample: Sample
  readonly session: Session
  readonly log: readonly string[]
  readonly seconds: number
}

async function describeEnd({ sample, session, log, seconds }: Played, output: Output): Promise<string> {
  const { bold, dim } = painters(output)
  const branch = session.branch_name ?? 'main'
  const example = await sample.git('log', '-1', '--format=%B', branch)
  return [
    '',
    `${bold('Result')}  what could be proven, and what not`,
    describeResult(session, output),
    '',
    `${bold('Branch')}  ${branch}: one commit for each fix, and its proof in the message`,
    ...log,
    ...example.map((line) => dim(`    ${line}`.trimEnd())),
    '',
    `${bold(`${seconds} s`)} in all, without a key, a service or the network. On your own repository:`,
    '  fixpoint init        look at it and write fixpoint.yaml',
    '  fixpoint review      find problems',
    '  fixpoint fix --all   fix them, on a branch of their own',
  ].join('\n')
}

const painters = ({ paint }: Output) => ({
  bold: (text: string) => paint('bold', text),
  dim: (text: string) => paint('dim', text),
})
