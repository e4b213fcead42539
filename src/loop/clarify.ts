import type { AgentRun, AgentTask } from '../model/agent.ts'
import type { Revision } from '../model/attempt.ts'
import type { SessionId } from '../model/id.ts'
import type { Issue } from '../model/issue.ts'
import { readClarifierAnswer, type ClarifierAnswer } from '../model/questions.ts'
import type { Conversation, SessionOptions } from '../model/session.ts'
import { readConventions } from './conventions.ts'
import type { Ports, RoleAgent } from './ports.ts'
import { clarifierPrompt } from './prompts/ask.ts'
import { clarifierSchema } from './prompts/contracts.ts'
import { readText } from './read-text.ts'

/** An answer that cannot be read is asked for once more; then the clarifier has failed, and nobody is "ready". */
const tries = 2

export interface ClarifyRequest {
  /** Whose record this is: a session, or an asking of its own before there is one. */
  readonly id: SessionId
  readonly round: number
  readonly issues: readonly Issue[]
  readonly base: Revision
  readonly options: Pick<SessionOptions, 'conventions' | 'notes' | 'commands'>
  readonly conversation: Conversation | null
  readonly signal: AbortSignal
}

export interface Asked {
  readonly answer: ClarifierAnswer | { readonly unreadable: string }
  readonly conversation: Conversation | null
}

/** Lets the fixer read the issues and ask; it changes nothing, whatever it edits. */
export async function askClarifier(request: ClarifyRequest, ports: Ports): Promise<Asked> {
  const clarifier = ports.agents.forRole('clarifier')[0]
  if (!clarifier) throw new Error('the role "clarifier" has no agent')
  let asked: Asked = { answer: { unreadable: 'nothing was asked' }, conversation: request.conversation }
  for (let tried = 1; tried <= tries && !request.signal.aborted; tried += 1) {
    const run = await askOnce(request, clarifier, ports, tried)
    const { ending } = run
    const codes = request.issues.map(({ code }) => code)
    asked = {
      answer:
        ending.ended === 'failed'
          ? { unreadable: `${run.agent} ${ending.kind}: ${ending.message}` }
          : readClarifierAnswer(run.text, codes),
      conversation: run.conversation_id === null ? null : { agent: run.agent, id: run.conversation_id },
    }
    if (!('unreadable' in asked.answer)) break
  }
  return asked
}

async function askOnce(
  request: ClarifyRequest,
  { agent, timeoutMs }: RoleAgent,
  ports: Ports,
  tried: number,
): Promise<AgentRun> {
  const { id, round, issues, base, options, conversation, signal } = request
  const workspaceId = `${id}-clarify`
  const workspace = await ports.workspaces.open({
    id: workspaceId,
    tree: base.tree,
    head: base.commit,
    isPlain: true,
  })
  try {
    const prompt = await ports.inspector.redact(
      clarifierPrompt({
        texts: await ports.prompts.read(base.tree),
        issues: await Promise.all(issues.map((issue) => withCode(issue, base, ports))),
        conventions: await readConventions(ports.trees, base.tree, {
          file: null,
          configured: options.conventions,
        }),
        notes: options.notes,
      }),
    )
    const name = `clarify/round-${round}-${tried}`
    await ports.artifacts.write(id, `${name}-prompt.md`, prompt)
    const run = await agent.run({
      task: clarifierTask(request, workspace.path),
      prompt,
      timeoutMs,
      signal,
      onSignal: () => undefined,
      ...(conversation?.agent === agent.name &&
        agent.can.resume && { conversation: { id: conversation.id, fork: false } }),
    })
    await ports.artifacts.write(id, `${name}-answer.txt`, run.text)
    return run
  } finally {
    await ports.workspaces.close(workspaceId)
  }
}

async function withCode(issue: Issue, base: Revision, { trees }: Ports) {
  return { issue, code: issue.file ? await readText(trees, base.tree, issue.file) : null }
}

const clarifierTask = ({ round, issues, options }: ClarifyRequest, workspace: string): AgentTask => ({
  role: 'clarifier',
  access: 'read',
  round,
  issues,
  feedback: [],
  clarifications: Object.fromEntries(issues.map((issue) => [issue.code, [...issue.clarifications]])),
  notes: options.notes,
  review: null,
  diff: null,
  verification: {
    commands: options.commands.map(({ name, run }) => ({ name, run })),
    result: null,
  },
  workspace,
  output_schema: clarifierSchema,
})
