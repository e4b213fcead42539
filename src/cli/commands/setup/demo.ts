import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { differencesOf } from '../../../app/demo/judge-demo.ts'
import { makeSample } from '../../../app/demo/make-sample.ts'
import { chooseIssues } from '../../../app/fix/choose-issues.ts'
import { fixIssues } from '../../../app/fix/fix-issues.ts'
import type { FixOutcome } from '../../../app/fix/stored-session.ts'
import type { App } from '../../../app/open-app.ts'
import { reviewRepository } from '../../../app/review/review-repository.ts'
import { readTrust, trustItems } from '../../../app/trust/trust.ts'
import type { FixEvent } from '../../../model/session/event.ts'
import { findProgram } from '../../../adapters/agents/definition/find-program.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import { describeDemo } from '../../text/describe-demo.ts'
import { issueTable, quoted } from '../../text/describe.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'
import type { Output } from '../../command/output.ts'
import { createProgress } from '../../session/progress.ts'
import type { Listener } from '../../../app/publisher.ts'
import { readToken } from '../../../server/http/auth.ts'
import { createLog, logErrorTo } from '../../../server/log.ts'
import { openServing } from '../../../server/serving/serving.ts'
import { startServer } from '../../../server/start-server.ts'
import { openBrowser } from '../../command/open-browser.ts'

interface Options {
  readonly keep?: boolean
  readonly open?: boolean
}

/** Makes the sample repository, reviews and fixes it while the person watches, and removes it again. */
export const runDemo: RunCommand<Options> = async (context, { keep = false, open = false }) => {
  const { output } = context
  const startedAt = performance.now()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fixpoint-demo-')))
  using interrupts = listenForInterrupts(() => output.say('stopping'))
  try {
    const sample = await makeSample(folder, context.env)
    const inSample = { ...context, cwd: sample.root, env: sample.env }
    await using shown = open ? await showInBrowser(inSample, context) : nobodyWatches
    const session = await withApp(inSample, {}, async (app) => {
      app.subscribe(shown.onEvent)
      // The demo wrote these commands itself, so its dashboard need not ask before it tries an issue again.
      await trustItems(app, await readTrust(app, { for: 'session' }))
      return reviewAndFix(app, output, interrupts.stopStarting)
    })
    const log = session.branch_name
      ? await sample.git('log', '--oneline', `main..${session.branch_name}`)
      : []
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10
    const interrupted = interrupts.exitCode()
    if (interrupted === null)
      output.print(describeDemo({ session, log, seconds, command: commandOf(context) }, output))
    if (keep) output.say(`The repository is kept in ${sample.root}`)
    output.result({ schema: 'fixpoint.demo.v1', session, seconds, log })
    const differences = interrupted === null ? differencesOf(session, log) : []
    differences.forEach((difference) => output.say(`not as intended: ${difference}`))
    if (open && interrupted === null) {
      output.say('The dashboard stays open until Ctrl-C.')
      await untilAborted(interrupts.stopStarting)
    }
    return interrupted ?? (differences.length === 0 ? 0 : 1)
  } finally {
    if (!keep) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** How to call Fixpoint from here: by its name where that is found, else as it was called now. */
function commandOf({ env }: CommandContext): string {
  const [, script = 'fixpoint'] = process.argv
  return findProgram('fixpoint', env['PATH']) === null ? `node ${quoted(script)}` : 'fixpoint'
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** A review that is cut off is a fault; this one takes a moment, and a stop is heard after it. */
const uninterrupted = new AbortController().signal

async function reviewAndFix(app: App, output: Output, signal: AbortSignal): Promise<FixOutcome['result']> {
  output.print(
    `${output.paint('bold', 'Review')}  The built-in rules read a small shop in a new git repository.`,
  )
  await reviewRepository(app, { paths: [] }, uninterrupted)
  const issues = await chooseIssues(app, { all: true })
  output.print(`${issueTable(issues, output)}\n`)
  const { concurrency } = app.loaded.config.fix
  output.print(
    `${output.paint('bold', 'Fix')}  ${concurrency} at once, each in a workspace of its own. The tests of the shop decide.`,
  )
  const progress = createProgress(output, process.stderr)
  const unsubscribe = app.subscribe((event) => isShown(event, output) && progress.onEvent(event))
  try {
    // Nobody resumes a demo, so its first Ctrl-C stops at once.
    const { result } = await fixIssues(
      app,
      { issues, branch: 'fix/corner-shop' },
      { stopStarting: signal, endNow: signal },
    )
    return result
  } finally {
    unsubscribe()
    progress.end()
  }
}

/** Plain lines show each check and each end; lanes and JSON lines need every event. */
function isShown({ type, details }: FixEvent, output: Output): boolean {
  if (output.isInteractive || output.mode === 'jsonl') return true
  const isLanded = details['outcome'] === 'fixed'
  return (
    type === 'fix_verification_result' ||
    type === 'fix_issue_committed' ||
    (type === 'fix_issue_completed' && !isLanded)
  )
}

/** A dashboard beside a command, for as long as the command runs. */
interface ShownDashboard extends AsyncDisposable {
  /** Passes on what the command does, live text too. */
  readonly onEvent: Listener
}

const nobodyWatches: ShownDashboard = {
  onEvent: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
}

/** Serves the home of `served` on a free port of this machine, and opens the session in the person's own browser when it begins. */
async function showInBrowser(served: CommandContext, person: CommandContext): Promise<ShownDashboard> {
  const log = createLog('error')
  const serving = await openServing({
    env: served.env,
    onError: logErrorTo(log),
  })
  const token = await readToken(serving.home, served.env)
  const server = await startServer({
    serving,
    token,
    host: '127.0.0.1',
    port: 0,
    version: person.version,
    log,
  })
  let opened: Promise<void> | null = null
  const show = (sessionId: string): Promise<void> => {
    const page = `${server.url}/sessions/${sessionId}#token=${token}`
    person.output.say(`Watch it at ${page}`)
    return openBrowser(page, person)
  }
  return {
    onEvent: (event) => {
      serving.feeds.publish(event)
      opened ??= show(event.session_id)
    },
    async [Symbol.asyncDispose]() {
      await opened
      await server.stop(0)
    },
  }
}
