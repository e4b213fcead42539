import { ChallengedIssue, type AgentRun } from '../../model/agent/agent.ts'
import type { AttemptAt, AttemptEvent, Revision } from '../../model/attempt/attempt.ts'
import { isReproductionWanted, type HiddenTest, type Reproduction } from '../../model/attempt/reproduction.ts'
import { withSpent, spentBy } from '../../model/attempt/spending.ts'
import { Fault } from '../../model/fault.ts'
import { blockingGate } from '../../model/proof/gate.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { addsOnlyTests } from '../../model/proof/owned-paths.ts'
import { isEmptyPatch, listPaths, touchedPaths, type Patch } from '../../model/proof/patch.ts'
import { readConventions } from '../prompts/conventions.ts'
import { readJudgedPatch } from '../gates/read-patch.ts'
import { runGates } from '../gates/run-gates.ts'
import { secretsGate } from '../gates/secrets.ts'
import { agentTask, plannedVerification } from '../agent-task.ts'
import { isProviderFailure } from '../context/limits.ts'
import { stepOf } from '../context/recorder.ts'
import type { WatchedRun } from '../context/own-waits.ts'
import { issueOf, noMoreAgents, recordWait, type SessionContext } from '../context/session-context.ts'
import type { RoleAgent } from '../ports.ts'
import { reproducePrompt, reproduceSchema } from '../prompts/reproduce.ts'
import { readCode, readTexts } from '../read-code.ts'
import type { Rest } from '../context/slots.ts'
import { namesTests, tryOnBase } from './hidden-test.ts'

type Queued = AttemptAt<'queued'>
type Reproduced = Extract<AttemptEvent, { type: 'reproduced' }>

/** Whether another agent is to write a test for an attempt, and has not been asked for it yet. */
export function awaitsReproduction(attempt: Queued, context: SessionContext): boolean {
  const { max_rounds, requires_reproduction: isRequired = false } = attempt.policy
  const mode = context.recorder.session().options.reproduce ?? false
  if (attempt.reproduction || max_rounds === 0) return false
  return isReproductionWanted(issueOf(context, attempt).severity, { mode, isRequired })
}

/**
 * Lets an agent that is not the fixer write a failing test, in a workspace that the fixer never sees. It runs once for
 * an issue, even after an interruption. Null when no agent may start any more.
 */
export async function reproduceIssue(attempt: Queued, context: SessionContext): Promise<Reproduced | null> {
  const { recorder, ports, slots, limits } = context
  if (attempt.reproduction_begun)
    return without(null, 'the reproducer was interrupted, and it is asked once only')
  const agents = findReproducers(context)
  if (!Array.isArray(agents)) return without(null, agents.refusal)
  const allowance = limits.allowance([attempt], recorder.attempts())
  if (limits.halted()) return null
  if (!allowance.allowed) return without(null, allowance.reason)
  const { tip: base, options } = recorder.session()
  if (!(await namesTests({ base, commands: options.commands, signal: context.endNow }, ports)))
    return without(null, 'no command names the tests that it runs')
  const call = {
    id: `${attempt.id}-reproduce`,
    attempt,
    issue: issueOf(context, attempt),
    base,
  }
  try {
    const run = await slots.run(noMoreAgents(context), async (rest) => {
      await recorder.recordStep(stepOf(attempt, { type: 'reproduction_begun' }))
      return askFirst(agents, { ...call, rest }, context)
    })
    return run && (await keepTest(run, call, context))
  } finally {
    await ports.workspaces.close(call.id)
  }
}

const without = (run: AgentRun | null, reason: string): Reproduced => ({
  type: 'reproduced',
  reproduction: { run, test: null, reason: `not reproduced: ${reason}` },
})

/** Those of the role that can write tests, or why nobody can. */
function findReproducers({ ports }: SessionContext): RoleAgent[] | { readonly refusal: string } {
  try {
    const all = ports.agents.forRole('reproducer')
    const able = all.filter(({ agent }) => !agent.can.writesNoTests)
    const names = [...new Set(all.map(({ agent }) => agent.name))].join(', ')
    return able.length > 0 ? able : { refusal: `${names} cannot write tests` }
  } catch (error) {
    if (error instanceof Fault && error.code === 'agent_unavailable') return { refusal: error.message }
    throw error
  }
}

interface ReproduceCall {
  /** The workspace that the fixer never sees. */
  readonly id: string
  readonly attempt: Queued
  readonly issue: Issue
  readonly base: Revision
}

/** The first agent that its provider lets run. A provider that refuses is no reason to halt. */
async function askFirst(
  agents: readonly RoleAgent[],
  call: ReproduceCall & { readonly rest: Rest },
  context: SessionContext,
): Promise<AgentRun> {
  const { limits, endNow: signal } = context
  const [first, ...others] = agents
  if (!first) throw new Error('no agent is configured')
  const ask = async (agent: RoleAgent): Promise<AgentRun> =>
    limits.run(agent.agent, (watched) => askOnce(agent, { ...call, watched }, context), {
      signal,
      rest: call.rest,
      onWait: recordWait(context, call.attempt),
    })
  let run = await ask(first)
  for (const agent of others) {
    if (!isProviderFailure(run) || limits.halted()) break
    run = withSpent(await ask(agent), spentBy(run))
  }
  return run
}

async function askOnce(
  { agent, timeoutMs }: RoleAgent,
  { id, attempt, issue, base, watched }: ReproduceCall & { readonly watched: WatchedRun },
  { ports, recorder, limits }: SessionContext,
): Promise<AgentRun> {
  const session = recorder.session()
  const workspace = await ports.workspaces.open({ id, tree: base.tree, head: base.commit })
  const code = await readCode(ports.trees, base.tree, issue)
  const { conventions: configured, commands } = session.options
  const conventions = await readConventions(ports.trees, base.tree, { file: issue.file, configured })
  const prompt = reproducePrompt({ issue, code, conventions, commands })
  const task = agentTask({
    role: 'reproducer',
    access: 'write',
    round: 0,
    issues: [ChallengedIssue.parse(issue)],
    verification: plannedVerification({ commands }),
    workspace: workspace.path,
    output_schema: reproduceSchema(issue.code),
  })
  const name = `${issue.code}/reproduce`
  await ports.artifacts.write(session.id, `${name}/prompt.md`, prompt)
  const share = limits.share([attempt], recorder.attempts())
  const budget = share.usd === null ? {} : { budgetUsd: share.usd }
  const run = await agent
    .run({ task, prompt, timeoutMs, signal: watched.signal, onUpdate: watched.hear, ...budget })
    .finally(share.release)
  await ports.artifacts.write(session.id, `${name}/answer.txt`, run.text)
  return run
}

/** The agent's files, where they are nothing but a test that shows the problem. */
async function keepTest(
  run: AgentRun,
  { id, issue, base }: ReproduceCall,
  context: SessionContext,
): Promise<Reproduced> {
  const { ports, recorder, endNow: signal } = context
  const { commands } = recorder.session().options
  if (run.ending.ended === 'failed') return without(run, `${run.ending.kind}: ${run.ending.message}`)
  const workspace = await ports.workspaces.find(id)
  if (!workspace) return without(run, 'its workspace is gone')
  const patch = await ports.workspaces.capture(workspace, base.tree)
  const read = await readTest(patch, { issue, base }, context)
  if ('refusal' in read) return without(run, read.refusal)
  const tried = await tryOnBase(read.files, { base, commands, signal }, ports)
  if ('refusal' in tried) return without(run, tried.refusal)
  const reproduction: Reproduction = {
    run,
    test: { ...read, ...tried },
    reason: `reproduced by ${tried.tests.join(', ')}`,
  }
  return { type: 'reproduced', reproduction }
}

/** The note keeps the text, and a note that is cut is no note. */
const longestTest = 100_000

async function readTest(
  patch: Patch,
  { issue, base }: Pick<ReproduceCall, 'issue' | 'base'>,
  { ports, recorder, endNow: signal }: SessionContext,
): Promise<Pick<HiddenTest, 'files'> | { readonly refusal: string }> {
  if (isEmptyPatch(patch)) return { refusal: 'no test was written' }
  if (!addsOnlyTests(patch))
    return { refusal: `more than new tests was written: ${listPaths(touchedPaths(patch))}` }
  const texts = await readTexts(ports.trees, patch.tree, touchedPaths(patch))
  const files = [...texts].map(([path, text]) => ({ path, text }))
  const size = files.reduce((sum, { text }) => sum + text.length, 0)
  if (size > longestTest || patch.files.some(({ binary }) => binary))
    return { refusal: `what was written is not text, or is longer than ${longestTest / 1000} kB` }
  const judged = await readJudgedPatch({ patch, base, issue, session: recorder.session(), signal }, ports)
  const blocker = blockingGate(await runGates({ patch: judged }, { list: [secretsGate] }))
  return blocker ? { refusal: `${blocker.name}: ${blocker.reason}` } : { files }
}
