import type { AgentTask } from '../model/agent.ts'
import type { Revision } from '../model/attempt.ts'
import type { WrittenFinding } from '../model/finding.ts'
import { ReviewId, type RepositoryId } from '../model/id.ts'
import type { Review, ReviewerResult } from '../model/review.ts'
import { readReviewerAnswer } from '../model/reviewer-answer.ts'
import { readConventions } from './conventions.ts'
import type { Ports, RoleAgent } from './ports.ts'
import type { PromptName } from './prompts/texts/index.ts'
import { reviewerPrompt } from './prompts/review.ts'
import { scanCode } from './scan.ts'

export interface ReviewRequest {
  readonly repositoryId: RepositoryId
  readonly revision: Revision
  readonly root: string
  readonly paths: readonly string[]
  readonly conventions: readonly string[]
  readonly signal: AbortSignal
}

export interface ReviewedCode {
  readonly review: Review
  readonly findings: readonly WrittenFinding[]
}

/** Lets every reviewer look at the code at the same time, each alone in a checkout of its own. */
export async function reviewCode(request: ReviewRequest, ports: Ports): Promise<ReviewedCode> {
  const id = ReviewId.parse(ports.ids.next('rev'))
  const reviewers = ports.agents.forRole('reviewer')
  const [asked, scanned] = await Promise.all([
    Promise.all(reviewers.map((reviewer, index) => askReviewer(`${id}-${index}`, reviewer, request, ports))),
    scanCode(request, ports),
  ])
  const answers = [...asked, ...scanned]
  const results = answers.map(({ result }) => result)
  return {
    review: {
      id,
      repository_id: request.repositoryId,
      kind: 'review',
      commit: request.revision.commit,
      state: stateOf(results),
      reviewers: results,
      created_at: new Date(ports.clock.now()).toISOString(),
    },
    findings: answers.flatMap(({ findings }) => findings),
  }
}

function stateOf(results: readonly ReviewerResult[]): Review['state'] {
  if (results.every(({ state }) => state === 'failed')) return 'failed'
  return results.every(({ state }) => state === 'complete') ? 'complete' : 'partial'
}

interface Answered {
  readonly result: ReviewerResult
  readonly findings: readonly WrittenFinding[]
}

/** One expert per field of each class; which classes occur is known by their paths only. */
const expertsFor = (_request: ReviewRequest): readonly PromptName[] => [
  'reviewer_be_architecture',
  'reviewer_be_quality',
  'reviewer_fe_architecture',
  'reviewer_fe_quality',
]

/** An unreadable answer is asked for once more, then the reviewer has failed; it never counts as "no findings". */
async function askReviewer(
  workspaceId: string,
  reviewer: RoleAgent,
  request: ReviewRequest,
  ports: Ports,
): Promise<Answered> {
  const { agent, timeoutMs } = reviewer
  let reason = 'no answer'
  for (let tried = 0; tried < 2 && !request.signal.aborted; tried += 1) {
    const workspace = await ports.workspaces.open({
      id: workspaceId,
      tree: request.revision.tree,
      head: request.revision.commit,
      isPlain: true,
    })
    try {
      const task = reviewerTask(request, workspace.path)
      const conventions = await readConventions(ports.trees, request.revision.tree, {
        file: null,
        configured: request.conventions,
      })
      const texts = await ports.prompts.read(request.revision.tree)
      const prompt = reviewerPrompt({
        texts,
        paths: request.paths,
        conventions,
        experts: expertsFor(request),
      })
      const run = await agent.run({
        task,
        prompt,
        timeoutMs,
        signal: request.signal,
        onSignal: () => undefined,
      })
      const source = { kind: agent.family === 'rules' ? 'rules' : 'agent', name: agent.name } as const
      const answer =
        run.ending.ended === 'failed'
          ? { unreadable: `${run.ending.kind}: ${run.ending.message}` }
          : readReviewerAnswer(run.text, { source, root: workspace.path })
      if (!('unreadable' in answer)) return answered(agent.name, answer)
      reason = answer.unreadable
    } finally {
      await ports.workspaces.close(workspaceId)
    }
  }
  return { result: { agent: agent.name, state: 'failed', reason, findings: 0, coverage: null }, findings: [] }
}

function answered(
  agent: string,
  { findings, coverage }: Exclude<ReturnType<typeof readReviewerAnswer>, { unreadable: string }>,
): Answered {
  const isWhole = !coverage || (coverage.skipped.length === 0 && coverage.partly.length === 0)
  const left = [...(coverage?.skipped ?? []), ...(coverage?.partly ?? [])]
  return {
    result: {
      agent,
      state: isWhole ? 'complete' : 'partial',
      reason: isWhole
        ? null
        : `not read in full: ${left.map(({ file, why }) => `${file} (${why})`).join(', ')}`,
      findings: findings.length,
      coverage,
    },
    findings,
  }
}

const reviewerTask = (request: ReviewRequest, workspace: string): AgentTask => ({
  role: 'reviewer',
  access: 'read',
  round: 1,
  issues: [],
  feedback: [],
  clarifications: {},
  notes: null,
  review: { paths: request.paths, base: null, spec: null },
  diff: null,
  verification: null,
  workspace,
  output_schema: null,
})
