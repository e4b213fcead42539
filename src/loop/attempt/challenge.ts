import type { Own } from '../own-text.ts'
import { ChallengedIssue, type AgentRun } from '../../model/agent/agent.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import { touchedPaths } from '../../model/proof/patch.ts'
import { applyThreshold, readVerdict, type Challenge } from '../../model/proof/challenge.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Verification } from '../../model/proof/verification.ts'
import { agentTask } from '../agent-task.ts'
import { isAnothersTurn, isProviderFailure } from '../context/limits.ts'
import type { WatchedRun } from '../context/own-waits.ts'
import { recordWait, type SessionContext } from '../context/session-context.ts'
import type { RoleAgent } from '../ports.ts'
import { challengerPrompt, claimPrompt } from '../prompts/challenge.ts'
import { readConventions } from '../prompts/conventions.ts'
import { challengerSchema } from '../prompts/contracts.ts'
import { placeIssues } from '../prompts/placed-issue.ts'
import { readCode } from '../read-code.ts'

/** A challenger whose answer is missing or unreadable is asked once more; then the next agent is asked. */
const triesPerAgent = 2
const wholeDiff = 16 * 1024 * 1024

/** What a challenger's usual time is kept as. */
export const challengerPace = (agent: string): string => `challenger ${agent}`

/** The subject of a challenge: a patch, or the claim that the code is right as it is. */
type Judged = AttemptAt<'challenging'> | AttemptAt<'doubting'>

/** The subject, and the issue that it is judged for: a bundle stands for several. */
export interface ChallengeRequest {
  readonly attempt: Judged
  readonly issue: Issue
  /** The others that it stands for. */
  readonly together: readonly Issue[]
}

/** Puts one patch or claim before the challengers of the role, in order, until one gives a readable verdict. Null when no provider lets one answer. */
export async function challengeAttempt(
  request: ChallengeRequest,
  context: SessionContext,
): Promise<Challenge | null> {
  const { attempt } = request
  const { ports, limits, endNow } = context
  const challengers = ports.agents.forRole('challenger')
  const runs: AgentRun[] = []
  const reasons: string[] = []
  for (const [index, challenger] of challengers.entries()) {
    if (index < challengers.length - 1 && limits.isGivenUp(challenger.agent)) continue
    for (let attempted = 1; attempted <= triesPerAgent; attempted += 1) {
      // When the budget is used up, nobody is asked again: the attempt waits as it is.
      if (runs.length > 0 && limits.halted()) return null
      const { run, verdict } = await askOnce({ ...request, challenger, attempted }, context)
      runs.push(run)
      if ('score' in verdict)
        return { ...applyThreshold(verdict, attempt.policy.threshold, challenger.agent.name), ...spent(runs) }
      reasons.push(`${challenger.agent.name}: ${verdict.unreadable}`)
      if (endNow.aborted || isAnothersTurn(run)) break
    }
  }
  if (runs[0] && runs.every(isProviderFailure) && limits.haltAfter(runs[0])) return null
  return {
    status: 'not_evaluated',
    score: null,
    quality_scores: null,
    feedback: reasons.length > 0 ? [...new Set(reasons)].join('; ') : 'no challenger is configured',
    improvements_needed: [],
    agent: challengers.map(({ agent }) => agent.name).join(', '),
    ...spent(runs),
  }
}

const spent = (runs: readonly AgentRun[]): { readonly tokens: number; readonly cost_usd: number } => ({
  tokens: runs.reduce((sum, { tokens }) => sum + tokens, 0),
  cost_usd: runs.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
})

interface Answered {
  readonly run: AgentRun
  readonly verdict: ReturnType<typeof readVerdict>
}

interface ChallengeCall extends ChallengeRequest {
  readonly challenger: RoleAgent
  readonly attempted: number
}

/** One run in a checkout of its own, which is thrown away: whatever the challenger edits changes nothing. */
async function askOnce(
  { attempt, issue, together, challenger, attempted }: ChallengeCall,
  context: SessionContext,
): Promise<Answered> {
  const { ports, limits, endNow: signal } = context
  const id = `${attempt.id}-challenge-${attempt.round}`
  const change = attempt.stage === 'challenging' ? attempt : null
  const tree = change?.patch.tree ?? attempt.base.tree
  const workspace = await ports.workspaces.open({ id, tree, head: attempt.base.commit })
  try {
    const prompt = await buildPrompt({ attempt, issue, together }, context)
    const task = agentTask({
      role: 'challenger',
      access: 'read',
      round: attempt.round,
      issues: [ChallengedIssue.parse(issue)],
      notes: context.recorder.session().options.notes,
      diff: change?.diff ?? null,
      verification: change && { commands: [], result: withoutHidden(change.verification) },
      workspace: workspace.path,
      output_schema: challengerSchema(issue.code),
    })
    const name = `${issue.code}/round-${attempt.round}/challenge-${challenger.agent.name}-${attempted}`
    await ports.artifacts.write(attempt.session_id, `${name}-prompt.md`, prompt)
    const { agent, timeoutMs } = challenger
    const ask = (watched: WatchedRun) =>
      agent.run({ task, prompt, timeoutMs, signal: watched.signal, onUpdate: watched.hear })
    const run = await limits.run(agent, ask, { signal, onWait: recordWait(context, attempt) })
    if (run.ending.ended === 'finished') await ports.pace.note(challengerPace(agent.name), run.duration_ms)
    await ports.artifacts.write(attempt.session_id, `${name}-answer.txt`, run.text)
    if (run.ending.ended === 'failed')
      return { run, verdict: { unreadable: `${run.ending.kind}: ${run.ending.message}` } }
    return { run, verdict: readVerdict(run.text, issue.code) }
  } finally {
    await ports.workspaces.close(id)
  }
}

/** A challenger's words reach the fixer, who must not learn of a test that was written against it. */
const withoutHidden = ({ reproduction: _hidden, ...verification }: Verification): Verification => verification

async function buildPrompt(
  { attempt, issue, together }: ChallengeRequest,
  { ports: { trees, prompts }, recorder }: SessionContext,
): Promise<Own> {
  const session = recorder.session()
  const { conventions: configured, notes } = session.options
  const { tree } = attempt.base
  const [placed] = await placeIssues([issue], { base: session.base.tree, now: tree }, trees)
  const given = {
    texts: await prompts.read(tree),
    issue,
    code: null,
    ...placed,
    conventions: await readConventions(trees, tree, { file: issue.file, configured }),
    notes,
    threshold: attempt.policy.threshold,
  }
  if (attempt.stage !== 'challenging') return claimPrompt(given)
  const { verification, patch } = attempt
  return challengerPrompt({
    ...given,
    // What is kept with the round is cut already.
    diff: await trees.diff(patch.base_tree, patch.tree, wholeDiff),
    files: touchedPaths(patch),
    verification,
    together,
    codeAfter: await readCode(trees, patch.tree, issue),
  })
}
