import { ChallengedIssue, type AgentRun } from '../../model/agent/agent.ts'
import type { Attempt, Revision } from '../../model/attempt/attempt.ts'
import { blockingGate } from '../../model/proof/gate.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { addsOnlyTests } from '../../model/proof/owned-paths.ts'
import { isEmptyPatch, touchedPaths, type Patch } from '../../model/proof/patch.ts'
import type { Reproduction } from '../../model/attempt/reproduction.ts'
import type { Session } from '../../model/session/session.ts'
import { readConventions } from '../prompts/conventions.ts'
import { readJudgedPatch } from '../gates/read-patch.ts'
import { runGates } from '../gates/run-gates.ts'
import { agentTask, plannedVerification } from '../agent-task.ts'
import { isProviderFailure } from '../context/limits.ts'
import { noMoreAgents, type SessionContext } from '../context/session-context.ts'
import type { RoleAgent } from '../ports.ts'
import { reproducePrompt, reproduceSchema } from '../prompts/reproduce.ts'
import { readCode } from '../read-code.ts'
import type { Rest } from '../context/slots.ts'

export interface ReproduceRequest {
  readonly attempt: Attempt
  readonly issue: Issue
  readonly session: Session
  readonly base: Revision
}

/**
 * Lets an agent that is not the fixer write a failing test, in a workspace that the fixer never sees. What comes of it
 * is only ever added evidence: without a test the fix goes on. Null when no agent may start any more.
 */
export async function reproduceIssue(
  request: ReproduceRequest,
  context: SessionContext,
): Promise<Reproduction | null> {
  const { attempt, base } = request
  const { ports, slots } = context
  const id = `${attempt.id}-reproduce`
  try {
    const run = await slots.run(noMoreAgents(context), (rest) => askFirst({ ...request, id, rest }, context))
    if (!run) return null
    if (run.ending.ended === 'failed') return without(run, `${run.ending.kind}: ${run.ending.message}`)
    const workspace = await ports.workspaces.find(id)
    if (!workspace) return without(run, 'its workspace is gone')
    const patch = await ports.workspaces.capture(workspace, base.tree)
    const refusal = await refusalOf(patch, request, context)
    return refusal === null ? await proveOnBase({ run, patch }, request, context) : without(run, refusal)
  } finally {
    await ports.workspaces.close(id)
  }
}

const without = (run: AgentRun, reason: string): Reproduction => ({
  run,
  test: null,
  reason: `not reproduced: ${reason}`,
})

interface ReproduceCall extends ReproduceRequest {
  /** The workspace that the fixer never sees. */
  readonly id: string
  readonly rest: Rest
}

/** The challengers first: another vendor's eyes are worth more. A provider that lets nobody in is no reason to halt. */
async function askFirst(call: ReproduceCall, context: SessionContext): Promise<AgentRun> {
  const { ports, limits, endNow: signal } = context
  const [first, ...others] = [...ports.agents.forRole('challenger'), ...ports.agents.forRole('fixer')]
  if (!first) throw new Error('no agent is configured')
  const ask = async (agent: RoleAgent): Promise<AgentRun> =>
    limits.run(agent.agent, () => askOnce(agent, call, context), { signal, rest: call.rest })
  let run = await ask(first)
  for (const agent of others) {
    if (!isProviderFailure(run)) break
    run = await ask(agent)
  }
  return run
}

async function askOnce(
  { agent, timeoutMs }: RoleAgent,
  { id, issue, session, base }: ReproduceCall,
  { ports, endNow: signal }: SessionContext,
): Promise<AgentRun> {
  const workspace = await ports.workspaces.open({ id, tree: base.tree, head: base.commit })
  const code = await readCode(ports.trees, base.tree, issue)
  const { conventions: configured, commands } = session.options
  const conventions = await readConventions(ports.trees, base.tree, { file: issue.file, configured })
  const prompt = reproducePrompt({ issue, code, conventions, commands })
  const task = agentTask({
    role: 'challenger',
    access: 'write',
    round: 0,
    issues: [ChallengedIssue.parse(issue)],
    verification: plannedVerification({ commands }),
    workspace: workspace.path,
    output_schema: reproduceSchema(issue.code),
  })
  const name = `${issue.code}/reproduce`
  await ports.artifacts.write(session.id, `${name}/prompt.md`, prompt)
  const run = await agent.run({ task, prompt, timeoutMs, signal, onUpdate: () => undefined })
  await ports.artifacts.write(session.id, `${name}/answer.txt`, run.text)
  return run
}

/** The test is committed with the fix, so it passes the same gates; and it may hold nothing but tests. */
async function refusalOf(
  patch: Patch,
  { issue, session, base }: ReproduceRequest,
  { ports, endNow: signal }: SessionContext,
): Promise<string | null> {
  if (isEmptyPatch(patch)) return 'no test was written'
  if (!addsOnlyTests(patch)) return `more than new tests was written: ${touchedPaths(patch).join(', ')}`
  const judged = await readJudgedPatch({ patch, base, issue, session, signal }, ports)
  const blocker = blockingGate(await runGates({ patch: judged }))
  return blocker ? `${blocker.name}: ${blocker.reason}` : null
}

async function proveOnBase(
  { run, patch }: { readonly run: AgentRun; readonly patch: Patch },
  { base, issue }: ReproduceRequest,
  { verifier, endNow: signal }: SessionContext,
): Promise<Reproduction> {
  const changed = [...touchedPaths(patch), ...(issue.file ? [issue.file] : [])]
  const failure = await verifier.findFailure({
    revision: { commit: base.commit, tree: patch.tree },
    against: base,
    changed,
    signal,
  })
  if (!failure) return without(run, 'the new test does not fail on the base as a named test')
  const { tree, files } = patch
  return { run, test: { tree, files, ...failure }, reason: `reproduced by ${failure.tests.join(', ')}` }
}
