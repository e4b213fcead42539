import type { AgentTask } from '../model/agent.ts'
import { ChallengedIssue } from '../model/agent.ts'
import type { AttemptAt } from '../model/attempt.ts'
import { applyThreshold, readVerdict, type Challenge } from '../model/challenge.ts'
import type { Issue } from '../model/issue.ts'
import type { Ports, RoleAgent } from './ports.ts'
import { challengerPrompt, claimPrompt } from './prompts/build.ts'
import { challengerSchema } from './prompts/contracts.ts'
import { readText } from './read-text.ts'

/** An unreadable or missing answer is asked for once more before the next agent's turn. */
const triesPerAgent = 2

/** What is put before a challenger: a patch, or the claim that the code is right as it is. */
type Judged = AttemptAt<'challenging'> | AttemptAt<'doubting'>

/** Puts one patch or claim before the challengers of the role, in order, until one gives a readable verdict. */
export async function challengeAttempt(
  attempt: Judged,
  issue: Issue,
  ports: Ports,
  signal: AbortSignal,
): Promise<Challenge> {
  const challengers = ports.agents.forRole('challenger')
  const reasons: string[] = []
  for (const challenger of challengers) {
    for (let attempted = 1; attempted <= triesPerAgent; attempted += 1) {
      const answer = await askOnce(attempt, issue, challenger, { ports, signal, attempted })
      if ('score' in answer) return applyThreshold(answer, attempt.policy.threshold, challenger.agent.name)
      reasons.push(`${challenger.agent.name}: ${answer.unreadable}`)
      if (signal.aborted) break
    }
  }
  return {
    status: 'not_evaluated',
    score: null,
    quality_scores: null,
    feedback: reasons.length > 0 ? reasons.join('; ') : 'no challenger is configured',
    improvements_needed: [],
    agent: challengers.map(({ agent }) => agent.name).join(', '),
  }
}

interface AskContext {
  readonly ports: Ports
  readonly signal: AbortSignal
  readonly attempted: number
}

/** One run in a checkout of its own, which is thrown away: whatever the challenger edits changes nothing. */
async function askOnce(
  attempt: Judged,
  issue: Issue,
  challenger: RoleAgent,
  { ports, signal, attempted }: AskContext,
): Promise<ReturnType<typeof readVerdict>> {
  const id = `${attempt.id}-challenge-${attempt.round}`
  const change = attempt.stage === 'challenging' ? attempt : null
  const tree = change?.patch.tree ?? attempt.base.tree
  const workspace = await ports.workspaces.open({ id, tree, head: attempt.base.commit })
  try {
    const code = issue.file ? await readText(ports.trees, attempt.base.tree, issue.file) : null
    const prompt = await ports.inspector.redact(
      change
        ? challengerPrompt({ issue, code, diff: change.diff, verification: change.verification })
        : claimPrompt({ issue, code }),
    )
    const task: AgentTask = {
      role: 'challenger',
      access: 'read',
      round: attempt.round,
      issues: [ChallengedIssue.parse(issue)],
      feedback: [],
      clarifications: { [issue.code]: [...issue.clarifications] },
      notes: null,
      review: null,
      diff: change?.diff ?? null,
      verification: change && { commands: [], result: change.verification },
      workspace: workspace.path,
      output_schema: challengerSchema(issue.code),
    }
    const name = `${issue.code}/round-${attempt.round}/challenge-${challenger.agent.name}-${attempted}`
    await ports.artifacts.write(attempt.session_id, `${name}-prompt.md`, prompt)
    const run = await challenger.agent.run({
      task,
      prompt,
      timeoutMs: challenger.timeoutMs,
      signal,
      onSignal: () => undefined,
    })
    await ports.artifacts.write(attempt.session_id, `${name}-answer.txt`, run.text)
    if (run.ending.ended === 'failed') return { unreadable: `${run.ending.kind}: ${run.ending.message}` }
    return readVerdict(run.text, issue.code)
  } finally {
    await ports.workspaces.close(id)
  }
}
