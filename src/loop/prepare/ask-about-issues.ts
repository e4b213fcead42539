import type { AgentRun } from '../../model/agent/agent.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { SessionId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Conversation } from '../../model/issue/conversation.ts'
import type { SessionOptions } from '../../model/session/session.ts'
import type { Spent } from '../../model/attempt/spending.ts'
import { readPlannerAnswer, type PlannedApproach } from '../../model/issue/issue-plan.ts'
import { readClarifierAnswer, withoutAnswered, type ClarifierAnswer } from '../../model/issue/questions.ts'
import { readConventions } from '../prompts/conventions.ts'
import { agentTask, plannedVerification } from '../agent-task.ts'
import type { AgentLimits } from '../context/limits.ts'
import type { Waiting } from '../context/provider-waits.ts'
import type { WatchedRun } from '../context/own-waits.ts'
import type { Ports, RoleAgent } from '../ports.ts'
import { answeredPrompt, clarifierPrompt, plannerPrompt, type PreparationPrompt } from '../prompts/build.ts'
import { clarifierSchema } from '../prompts/contracts.ts'
import { placeIssues } from '../prompts/placed-issue.ts'
import { continueOrBegin, runRole } from '../context/run-role.ts'

/** An answer that cannot be read is asked for once more. */
const tries = 2

const asking = {
  clarifier: { prompt: clarifierPrompt, schema: clarifierSchema },
  planner: { prompt: plannerPrompt, schema: null },
} as const

export interface PreparationRequest {
  /** Whose record this is: a session, or an asking of its own before there is one. */
  readonly id: SessionId
  readonly round: number
  readonly issues: readonly Issue[]
  readonly base: Revision
  readonly options: Pick<SessionOptions, 'conventions' | 'notes' | 'commands'>
  readonly conversation: Conversation | null
  /** The conversation was about this very task: only the answers since are new to it. */
  readonly isAskedBefore?: boolean
  readonly limits: AgentLimits
  readonly signal: AbortSignal
  /** Called for each wait for a service. */
  readonly onWait?: NonNullable<Waiting['onWait']>
}

export interface Prepared<Answer> {
  readonly answer: Readable<Answer>
  readonly conversation: Conversation | null
  readonly spent: Spent
}

type AskingPorts = Pick<Ports, 'agents' | 'artifacts' | 'prompts' | 'trees' | 'workspaces'>
type Approaches = ReadonlyMap<string, PlannedApproach>
type Readable<Answer> = Answer | { readonly unreadable: string }

/** Lets the fixer read the issues and ask. An answer that cannot be read is a failure, never "ready". */
export const askClarifier = (
  request: PreparationRequest,
  ports: AskingPorts,
): Promise<Prepared<ClarifierAnswer>> =>
  askAboutIssues<ClarifierAnswer>({ ...request, role: 'clarifier' }, ports, (text) => {
    const answer = readClarifierAnswer(text, codesOf(request))
    return 'unreadable' in answer ? answer : withoutAnswered(answer, request.issues)
  })

/** Lets the fixer write down how it will fix each issue. */
export const askPlanner = (request: PreparationRequest, ports: AskingPorts): Promise<Prepared<Approaches>> =>
  askAboutIssues<Approaches>(
    { ...request, role: 'planner' },
    ports,
    (text) =>
      readPlannerAnswer(text, codesOf(request)) ?? {
        unreadable: 'the answer holds no JSON object with "issues"',
      },
  )

const codesOf = ({ issues }: PreparationRequest): readonly string[] => issues.map(({ code }) => code)

interface RoleRequest extends PreparationRequest {
  readonly role: keyof typeof asking
}

/**
 * Lets the fixer read the issues before it fixes them, and say something about them; its edits are thrown away. When no
 * provider lets an agent run, the limits are halted.
 */
async function askAboutIssues<Answer extends object>(
  request: RoleRequest,
  ports: AskingPorts,
  read: (text: string) => Readable<Answer>,
): Promise<Prepared<Answer>> {
  const { role, limits, signal, onWait } = request
  let asked: Prepared<Answer> = {
    answer: { unreadable: 'nothing was asked' },
    conversation: request.conversation,
    spent: { usd: 0, tokens: 0 },
  }
  for (let tried = 1; tried <= tries && !signal.aborted; tried += 1) {
    const unreadable = tried > 1 && 'unreadable' in asked.answer ? asked.answer.unreadable : null
    const ask = (agent: RoleAgent, watched: WatchedRun): Promise<AgentRun> =>
      askOnce({ ...request, agent, watched, tried, unreadable }, ports)
    const run = await runRole(ports.agents.forRole(role), ask, { limits, signal, ...(onWait && { onWait }) })
    if (!run) return { ...asked, answer: { unreadable: limits.halted()?.reason ?? 'no agent may run' } }
    const { ending } = run
    asked = {
      answer:
        ending.ended === 'failed'
          ? { unreadable: `${run.agent} ${ending.kind}: ${ending.message}` }
          : read(run.text),
      conversation: run.conversation_id === null ? null : { agent: run.agent, id: run.conversation_id },
      spent: { usd: asked.spent.usd + run.cost_usd, tokens: asked.spent.tokens + run.tokens },
    }
    if (!('unreadable' in asked.answer)) break
  }
  return asked
}

interface RoleCall extends RoleRequest {
  readonly agent: RoleAgent
  readonly watched: WatchedRun
  readonly tried: number
  /** Why the last answer could not be read. */
  readonly unreadable: string | null
}

async function askOnce(call: RoleCall, ports: AskingPorts): Promise<AgentRun> {
  const { role, id, round, issues, base, options, conversation, watched, tried } = call
  const { agent, timeoutMs } = call.agent
  const workspaceId = `${id}-${role}`
  const workspace = await ports.workspaces.open({
    id: workspaceId,
    tree: base.tree,
    head: base.commit,
    isPlain: true,
  })
  try {
    const given = await readForPrompt(call, ports)
    const name = `${role}/round-${round}-${tried}`
    const task = agentTask({
      role,
      access: 'read',
      round,
      issues,
      notes: options.notes,
      verification: plannedVerification(options),
      workspace: workspace.path,
      output_schema: asking[role].schema,
    })
    const ask = async (known: Conversation | null): Promise<AgentRun> => {
      const isContinued = known !== null && call.isAskedBefore === true && tried === 1
      const prompt = isContinued ? answeredPrompt(given) : asking[role].prompt(given)
      await ports.artifacts.write(id, `${name}-prompt.md`, prompt)
      return agent.run({
        task,
        prompt,
        timeoutMs,
        signal: watched.signal,
        onUpdate: watched.hear,
        ...(known && { conversation: { id: known.id, fork: false } }),
      })
    }
    const known = conversation?.agent === agent.name && agent.can.resume ? conversation : null
    const run = await continueOrBegin(known, ask)
    await ports.artifacts.write(id, `${name}-answer.txt`, run.text)
    return run
  } finally {
    await ports.workspaces.close(workspaceId)
  }
}

async function readForPrompt(
  { issues, base, options, unreadable }: RoleCall,
  { prompts, trees }: Pick<Ports, 'prompts' | 'trees'>,
): Promise<PreparationPrompt> {
  const files = issues.flatMap(({ file }) => file ?? [])
  const place = { file: null, files, configured: options.conventions }
  return {
    texts: await prompts.read(base.tree),
    issues: await placeIssues(issues, { base: base.tree, now: base.tree }, trees),
    conventions: await readConventions(trees, base.tree, place),
    notes: options.notes,
    commands: options.commands,
    unreadable,
  }
}
