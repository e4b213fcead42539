import { own, type Own } from '../own-text.ts'
import type { AgentRun, AgentTask, AgentUpdate } from '../../model/agent/agent.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { RepositoryId, ReviewId } from '../../model/id.ts'
import type { PartAnswer } from '../../model/issue/review.ts'
import { readReviewerAnswer } from '../../model/issue/reviewer-answer.ts'
import { addSpent, nothingSpent } from '../../model/attempt/spending.ts'
import { agentTask } from '../agent-task.ts'
import { readConventions } from '../prompts/conventions.ts'
import type { Agent, CodeFiles, Ports, RoleAgent } from '../ports.ts'
import { reviewerSchema } from '../prompts/contracts.ts'
import { reviewerPrompt } from '../prompts/review.ts'
import type { PromptName } from '../prompt-texts.ts'
import { isAnothersTurn, type AgentLimits } from '../context/limits.ts'
import type { Waiting } from '../context/provider-waits.ts'
import { treeFiles } from '../tree-files.ts'
import type { WatchedRun } from '../context/own-waits.ts'
import { createTranscript } from '../context/transcript.ts'

export interface ReviewRequest {
  readonly id: ReviewId
  /** What is looked at, in words. */
  readonly scope: string
  readonly repositoryId: RepositoryId
  readonly revision: Revision
  readonly root: string
  /** Folders and files to look at; everything without them. */
  readonly paths: readonly string[]
  /** Only what changed: since which revision, and how. */
  readonly changed: { readonly base: string; readonly diff: string; readonly files: readonly string[] } | null
  /** A specification that the code is held against. */
  readonly spec: { readonly name: string; readonly text: string } | null
  readonly experts: readonly PromptName[]
  readonly conventions: readonly string[]
  /** Another process began it: its reviewers' answers count. */
  readonly goesOn: boolean
  readonly signal: AbortSignal
  readonly limits: AgentLimits
  /** Called for each wait for a service. */
  readonly onWait: NonNullable<Waiting['onWait']>
  /** Called with what reviewers say while they work; live and lossy. */
  readonly onProgress?: (progress: ReviewProgress) => void
}

/** A reviewer begins, says something, or is done with its part of the code. */
export type ReviewProgress = { readonly agent: string } & (
  | { readonly type: 'began'; readonly files: number }
  | { readonly type: 'said'; readonly text: string }
  | { readonly type: 'ended'; readonly findings: number | null; readonly reason: string | null }
)

const tries = 2

export type ReviewerPorts = Pick<Ports, 'workspaces' | 'artifacts' | 'prompts' | 'trees'>

export interface ReviewerCall {
  /** The review whose record this is. */
  readonly id: ReviewId
  readonly reviewer: RoleAgent
  readonly workspaceId: string
  /** The files that this call is about. */
  readonly shard: readonly string[]
  /** In how many calls this reviewer is asked about all files of the review. */
  readonly parts: number
}

/** An unreadable answer is asked for once more, then the reviewer has failed; it never counts as "no findings". */
export async function askReviewer(
  { id, reviewer, workspaceId, shard, parts }: ReviewerCall,
  request: ReviewRequest,
  ports: ReviewerPorts,
): Promise<PartAnswer> {
  const { agent } = reviewer
  const { revision, signal } = request
  // A whole repository is named by its folders, a part of it file by file.
  const paths = parts === 1 && !request.changed ? request.paths : shard
  let spent = nothingSpent
  let reason = signal.aborted ? 'cancelled' : 'no answer'
  for (let tried = 0; tried < tries && !signal.aborted; tried += 1) {
    const name = `${workspaceId}-${tried + 1}`
    // A tool that reads trees has no use for words.
    const preparing = agent.can.readsTrees
      ? Promise.resolve(own``)
      : writePrompt(request, { id, name, paths, unreadable: tried > 0 ? reason : null }, ports)
    preparing.catch(() => undefined) // thrown below, where it is waited for
    const place = await openPlace(workspaceId, { agent, revision }, ports)
    try {
      const prompt = await preparing
      const task = reviewerTask(request, paths, place.path)
      const run = await runReviewer(
        { id, name, task, prompt, files: place.files },
        { reviewer, request, ports },
      )
      spent = addSpent(spent, { usd: run.cost_usd, tokens: run.tokens })
      const source = { kind: agent.family === 'rules' ? 'rules' : 'agent', name: agent.name } as const
      const answer =
        run.ending.ended === 'failed'
          ? { unreadable: `${run.ending.kind}: ${run.ending.message}` }
          : readReviewerAnswer(run.text, { source, root: place.path })
      if (!('unreadable' in answer) && saysSomething(answer)) return { ...answer, spent }
      reason = 'unreadable' in answer ? answer.unreadable : 'it told neither findings nor what it read'
      // Asking again helps where an answer could not be read, not where nobody was let in.
      if (isAnothersTurn(run)) break
    } finally {
      await place.close()
    }
  }
  return { failed: reason, files: shard, spent }
}

/** Where a reviewer finds the code: a workspace, or the files of the tree for one that needs no more. */
async function openPlace(
  id: string,
  { agent, revision: { tree, commit } }: { readonly agent: Agent; readonly revision: Revision },
  { workspaces, trees }: ReviewerPorts,
) {
  if (agent.can.readsTrees) return { path: '', files: treeFiles(trees, tree), close: async () => undefined }
  const { path } = await workspaces.open({ id, tree, head: commit, isPlain: true })
  return { path, close: () => workspaces.close(id) }
}

/** An answer without findings counts only with a word about what was read. */
const saysSomething = ({
  findings,
  coverage,
}: Pick<Extract<PartAnswer, { findings: unknown }>, 'findings' | 'coverage'>): boolean =>
  findings.length > 0 || coverage !== null

interface ReviewerRun {
  readonly id: ReviewId
  /** What its artifacts are called. */
  readonly name: string
  readonly task: AgentTask
  readonly prompt: Own
  readonly files: CodeFiles | undefined
}

interface ReviewerContext {
  readonly reviewer: RoleAgent
  readonly request: ReviewRequest
  readonly ports: Pick<ReviewerPorts, 'artifacts'>
}

/** One run of a reviewer, with what it was asked and what it said kept. */
async function runReviewer(
  { id, name, task, prompt, files }: ReviewerRun,
  {
    reviewer: { agent, timeoutMs },
    request: { signal, limits, onWait, onProgress },
    ports: { artifacts },
  }: ReviewerContext,
): Promise<AgentRun> {
  const transcript = createTranscript()
  const hear = (update: AgentUpdate): void => {
    transcript.hear(update)
    if (update.type === 'text') onProgress?.({ agent: agent.name, type: 'said', text: update.text })
  }
  const ask = (watched: WatchedRun): Promise<AgentRun> =>
    agent.run({
      task,
      prompt,
      timeoutMs,
      ...(files && { files }),
      signal: watched.signal,
      onUpdate(update) {
        watched.hear(update)
        hear(update)
      },
    })
  const run = await limits.run(agent, ask, { signal, onWait })
  await artifacts.write(id, `${name}-answer.txt`, run.text)
  const told = transcript.text()
  if (told !== '') await artifacts.write(id, `${name}-transcript.jsonl`, told)
  return run
}

/** What a reviewer is asked in words, kept with the review. */
async function writePrompt(
  request: ReviewRequest,
  { id, name, ...asked }: WrittenPrompt & Pick<ReviewerRun, 'id' | 'name'>,
  ports: Pick<ReviewerPorts, 'prompts' | 'trees' | 'artifacts'>,
): Promise<Own> {
  const prompt = await buildPrompt(request, asked, ports)
  await ports.artifacts.write(id, `${name}-prompt.md`, prompt)
  return prompt
}

interface WrittenPrompt {
  readonly paths: readonly string[]
  /** Why the last answer could not be read; null for the first try. */
  readonly unreadable: string | null
}

async function buildPrompt(
  request: ReviewRequest,
  { paths, unreadable }: WrittenPrompt,
  ports: Pick<ReviewerPorts, 'prompts' | 'trees'>,
): Promise<Own> {
  const { revision, spec, changed, experts } = request
  const place = { file: null, configured: request.conventions }
  return reviewerPrompt({
    texts: await ports.prompts.read(revision.tree),
    paths,
    conventions: await readConventions(ports.trees, revision.tree, place),
    experts,
    spec,
    diff: changed?.diff ?? null,
    unreadable,
  })
}

const reviewerTask = (
  { changed, spec }: ReviewRequest,
  paths: readonly string[],
  workspace: string,
): AgentTask =>
  agentTask({
    role: 'reviewer',
    access: 'read',
    round: 1,
    issues: [],
    review: { paths, base: changed?.base ?? null, spec: spec?.name ?? null },
    diff: changed?.diff ?? null,
    workspace,
    output_schema: reviewerSchema,
  })
