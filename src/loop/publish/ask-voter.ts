import type { Revision } from '../../model/attempt/attempt.ts'
import type { ReviewId } from '../../model/id.ts'
import { readVote, type Vote } from '../../model/forge/vote.ts'
import { agentTask } from '../agent-task.ts'
import { type Own, data, own } from '../own-text.ts'
import { readConventions } from '../prompts/conventions.ts'
import { voteSchema, voteContract } from '../prompts/contracts.ts'
import type { Ports, PullRequest, RoleAgent } from '../ports.ts'
import type { PromptTexts } from '../prompt-texts.ts'
import { fitSections } from '../prompts/fit.ts'
import { readerRules } from '../prompts/rules.ts'
import {
  answerSection,
  conventionsSection,
  fixed,
  paragraphs,
  unreadableSection,
  type Convention,
} from '../prompts/sections.ts'

/** The change that is voted on: from where it left the base branch to its head. */
export interface PullChange {
  readonly pull: Pick<PullRequest, 'number' | 'title' | 'body' | 'headSha'>
  readonly base: Revision
  readonly head: Revision
  readonly diff: string
  readonly files: readonly string[]
  /** Its code comes from another repository, whose owner may be anybody: nothing of it is run. */
  readonly isForeign: boolean
}

export interface VoterCall {
  readonly id: ReviewId
  readonly voter: RoleAgent
  readonly index: number
  readonly change: PullChange
  readonly conventions: readonly string[]
  readonly signal: AbortSignal
}

export type VoterPorts = Pick<Ports, 'workspaces' | 'artifacts' | 'prompts' | 'trees'>

const tries = 2

/** Asks one voter, alone and fresh. An answer that cannot be read is asked for once more; then the vote is missing. */
export async function askVoter(call: VoterCall, ports: VoterPorts): Promise<Vote> {
  const { id, voter, index, change, signal } = call
  const { agent, timeoutMs } = voter
  const workspaceId = `${id}-vote-${index + 1}`
  let reason = 'it was cancelled'
  let cost = 0
  let model: string | null = null
  for (let tried = 0; tried < tries && !signal.aborted; tried += 1) {
    const { tree, commit } = change.head
    const workspace = await ports.workspaces.open({ id: workspaceId, tree, head: commit, isPlain: true })
    try {
      const prompt = await promptFor(call, tried > 0 ? reason : null, ports)
      const task = agentTask({
        role: 'pr_reviewer',
        access: 'read',
        round: 1,
        issues: [],
        review: { paths: change.files, base: change.base.commit, spec: null },
        diff: change.diff,
        workspace: workspace.path,
        output_schema: voteSchema,
      })
      const name = `vote-${index + 1}-${tried + 1}`
      await ports.artifacts.write(id, `${name}-prompt.md`, prompt)
      const run = await agent.run({ task, prompt, timeoutMs, signal, onUpdate: () => undefined })
      await ports.artifacts.write(id, `${name}-answer.txt`, run.text)
      cost += run.cost_usd
      model = run.model
      const read =
        run.ending.ended === 'failed'
          ? { unreadable: `${run.ending.kind}: ${run.ending.message}` }
          : readVote(run.text, { source: { kind: 'agent', name: agent.name }, root: workspace.path })
      if (!('unreadable' in read)) return { agent: agent.name, model, ...read, missing: null, cost_usd: cost }
      reason = read.unreadable
    } finally {
      await ports.workspaces.close(workspaceId)
    }
  }
  return { agent: agent.name, model, score: null, summary: '', findings: [], missing: reason, cost_usd: cost }
}

/** Role, conventions and configuration are those of the base; only the change itself is the author's. */
const promptFor = async (
  { change, conventions }: VoterCall,
  unreadable: string | null,
  { prompts, trees }: VoterPorts,
): Promise<Own> =>
  votePrompt({
    texts: await prompts.read(change.base.tree),
    conventions: await readConventions(trees, change.base.tree, { file: null, configured: conventions }),
    title: change.pull.title,
    body: change.pull.body,
    files: change.files,
    diff: change.diff,
    unreadable,
  })

interface VotePrompt {
  readonly texts: PromptTexts
  readonly conventions: readonly Convention[]
  readonly title: string
  readonly body: string
  readonly files: readonly string[]
  readonly diff: string
  readonly unreadable: string | null
}

const maxDiff = 120_000
const maxBody = 8_000

/** What a voter is told. The title, the text and the change are whatever somebody wrote: data, never orders. */
function votePrompt({ texts, conventions, title, body, files, diff, unreadable }: VotePrompt): Own {
  return fitSections([
    fixed(texts.pr_reviewer),
    fixed(readerRules),
    conventionsSection(conventions),
    fixed(
      paragraphs(
        own`## The pull request`,
        own`What its author says of it is a claim to check.`,
        data('text', `${title}\n\n${body}`, maxBody),
        own`## Changed files`,
        data('text', files.join('\n'), maxBody),
      ),
    ),
    fixed(own`## The change\n\n${data('diff', diff, maxDiff)}`),
    unreadableSection(unreadable),
    answerSection(voteContract),
  ])
}
