import { ChallengedIssue, type AgentRun } from '../../model/agent/agent.ts'
import type { Attempt, Revision } from '../../model/attempt/attempt.ts'
import { blockingGate } from '../../model/proof/gate.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { addsOnlyTests } from '../../model/proof/owned-paths.ts'
import { isEmptyPatch, touchedPaths, type Patch } from '../../model/proof/patch.ts'
import type { Reproduction } from '../../model/attempt/reproduction.ts'
import type { Session } from '../../model/session/session.ts'
import { readConventions } from '../prompts/conventions.ts'
import { flawGates } from '../gates/flaws.ts'
import { scopeGate } from '../gates/run-gates.ts'
import { scopeOf } from '../gates/inspect.ts'
import { issueTask } from '../issue-task.ts'
import { isProviderFailure, type Limits } from '../session/limits.ts'
import type { Ports, RoleAgent } from '../ports.ts'
import { reproducePrompt, reproduceSchema } from '../prompts/reproduce.ts'
import { readChanges } from '../gates/read-changes.ts'
import { readCode } from '../read-code.ts'
import type { Rest, Slots } from '../session/slots.ts'
import type { Verifier } from './verify.ts'

export interface ReproduceRequest {
  readonly attempt: Attempt
  readonly issue: Issue
  readonly session: Session
  readonly base: Revision
  readonly verifier: Verifier
  readonly slots: Slots
  readonly limits: Limits
  /** Start no agent any more. */
  readonly stop: AbortSignal
  readonly signal: AbortSignal
}

/**
 * Lets an agent that is not the fixer write a failing test, in a workspace that the fixer never sees. What comes of it
 * is only ever added evidence: without a test the fix goes on. Null when no agent may start any more.
 */
export async function reproduceIssue(request: ReproduceRequest, ports: Ports): Promise<Reproduction | null> {
  const { attempt, base, slots, stop, limits } = request
  const id = `${attempt.id}-reproduce`
  try {
    const run = await slots.run(AbortSignal.any([stop, limits.signal]), (rest) =>
      askFirst(request, id, ports, rest),
    )
    if (!run) return null
    if (run.ending.ended === 'failed') return without(run, `${run.ending.kind}: ${run.ending.message}`)
    const workspace = await ports.workspaces.find(id)
    if (!workspace) return without(run, 'its workspace is gone')
    const patch = await ports.workspaces.capture(workspace, base.tree)
    const refusal = await refusalOf(patch, request, ports)
    return refusal === null ? await proveOnBase(run, patch, request) : without(run, refusal)
  } finally {
    await ports.workspaces.close(id)
  }
}

const without = (run: AgentRun, reason: string): Reproduction => ({
  run,
  test: null,
  reason: `not reproduced: ${reason}`,
})

/** The challengers first: another vendor's eyes are worth more. A provider that lets nobody in is no reason to halt. */
async function askFirst(request: ReproduceRequest, id: string, ports: Ports, rest: Rest): Promise<AgentRun> {
  const { limits, signal } = request
  const [first, ...others] = [...ports.agents.forRole('challenger'), ...ports.agents.forRole('fixer')]
  if (!first) throw new Error('no agent is configured')
  const ask = async (agent: RoleAgent): Promise<AgentRun> =>
    limits.run(agent.agent, () => askOnce(request, agent, id, ports), signal, rest)
  let run = await ask(first)
  for (const agent of others) {
    if (!isProviderFailure(run)) break
    run = await ask(agent)
  }
  return run
}

async function askOnce(
  { issue, session, base, signal }: ReproduceRequest,
  { agent, timeoutMs }: RoleAgent,
  id: string,
  ports: Ports,
): Promise<AgentRun> {
  const workspace = await ports.workspaces.open({ id, tree: base.tree, head: base.commit })
  const code = await readCode(ports.trees, base.tree, issue)
  const { conventions: configured, commands } = session.options
  const conventions = await readConventions(ports.trees, base.tree, { file: issue.file, configured })
  const prompt = await ports.inspector.redact(reproducePrompt({ issue, code, conventions, commands }))
  const asked = {
    role: 'challenger',
    access: 'write',
    round: 0,
    issues: [ChallengedIssue.parse(issue)],
    workspace: workspace.path,
    output_schema: reproduceSchema(issue.code),
  } as const
  const task = issueTask(asked, { notes: null, commands })
  const name = `${issue.code}/reproduce`
  await ports.artifacts.write(session.id, `${name}/prompt.md`, prompt)
  const run = await agent.run({ task, prompt, timeoutMs, signal, onSignal: () => undefined })
  await ports.artifacts.write(session.id, `${name}/answer.txt`, run.text)
  return run
}

/** The test is committed with the fix, so it passes the same gates; and it may hold nothing but tests. */
async function refusalOf(patch: Patch, request: ReproduceRequest, ports: Ports): Promise<string | null> {
  const { issue, session } = request
  if (isEmptyPatch(patch)) return 'no test was written'
  if (!addsOnlyTests(patch)) return `more than new tests was written: ${touchedPaths(patch).join(', ')}`
  const scope = scopeGate(patch, scopeOf({}, issue, session))
  const options = { protectedGlobs: session.options.protected, findingFile: null, approved: undefined }
  const changes = await readChanges(patch, ports.trees)
  const blocker = blockingGate([scope, ...(await flawGates(changes, options, ports))])
  return blocker ? `${blocker.name}: ${blocker.reason}` : null
}

async function proveOnBase(run: AgentRun, patch: Patch, request: ReproduceRequest): Promise<Reproduction> {
  const { base, issue, verifier, signal } = request
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
