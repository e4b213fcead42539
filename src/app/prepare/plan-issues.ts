import { draftBatches } from '../../loop/batch/ask-batch.ts'
import { draftFixerPrompt } from '../../loop/attempt/fix.ts'
import { askPlanner } from '../../loop/prepare/ask-about-issues.ts'
import { effortOf, planFixes } from '../../loop/plan.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import { planBatches, type Batch } from '../../model/session/batch.ts'
import { sharedConversation } from '../../model/issue/conversation.ts'
import { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { PlannedApproach } from '../../model/issue/issue-plan.ts'
import { issuesInOrder, predecessorsIn, type Plan } from '../../model/session/plan.ts'
import { spentOn } from '../../model/attempt/spending.ts'
import { readClarified } from './clarify-issues.ts'
import { askOutside } from '../agents/ask-outside.ts'
import { sessionOptions } from './session-options.ts'
import type { App } from '../open-app.ts'

export interface PlannedWork {
  readonly plan: Plan
  readonly batches: readonly Batch[]
  /** From what earlier issues of this repository have cost; null when nothing is known. */
  readonly estimatedCostUsd: number | null
}

/** The steps and batches in which issues would be fixed, and what that may cost. */
export async function planIssues(app: App, issues: readonly Issue[]): Promise<PlannedWork> {
  const { max_batch_points: maxPoints, max_batch_issues: maxIssues } = app.loaded.config.fix
  const plan = planFixes(issues)
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const before = predecessorsIn(plan)
  const batched = issuesInOrder(plan).flatMap((planned) => {
    const issue = byId.get(planned.issue_id)
    if (!issue) return []
    const after = before.get(planned.issue_id) ?? []
    return [
      { ...planned, after, class: issue.class, effort: effortOf(issue), files: issue.plan?.files ?? [] },
    ]
  })
  const cost = await costPerIssue(app)
  return {
    plan,
    batches: planBatches(batched, { maxPoints, maxIssues }),
    estimatedCostUsd: cost === null ? null : Math.round(cost * issues.length * 100) / 100,
  }
}

const rememberedSessions = 20

async function costPerIssue({ store, repository }: App): Promise<number | null> {
  const sessions = await store.sessions.list(repository.id, rememberedSessions)
  const stored = await Promise.all(sessions.map(({ id }) => store.sessions.load(id)))
  const costs = stored
    .flatMap((found) => found?.attempts ?? [])
    .map((attempt) => spentOn(attempt).usd)
    .filter((usd) => usd > 0)
  return costs.length === 0 ? null : costs.reduce((sum, usd) => sum + usd, 0) / costs.length
}

export interface ApproachRequest {
  readonly issues: readonly Issue[]
  readonly base: Revision
  readonly notes: string | null
  /** The asking that came before: its conversation goes on. */
  readonly clarifySessionId?: string | null
  readonly signal: AbortSignal
}

/** Lets the fixer write down its approach to each issue, and keeps it there. */
export async function planApproach(
  app: App,
  { issues, base, notes, clarifySessionId, signal }: ApproachRequest,
): Promise<readonly Issue[]> {
  const ports = await app.ports()
  const asked = clarifySessionId ? await readClarified(app, clarifySessionId) : null
  const { answer, conversation } = await askPlanner(
    {
      id: ports.ids.next('pln') as SessionId,
      round: 1,
      issues,
      base,
      options: sessionOptions(app, notes),
      conversation: asked?.conversation ?? sharedConversation(issues),
      ...askOutside(app, ports.clock),
      signal,
    },
    ports,
  )
  if ('unreadable' in answer)
    throw new Fault(
      'not_evaluated',
      `the planner gave no answer that can be read: ${String(answer.unreadable)}`,
      {
        hint: 'Try again, or plan without --approach.',
      },
    )
  return Promise.all(
    issues.map(async (issue) =>
      conversation || answer.has(issue.code)
        ? app.store.issues.change(issue.id, 'person', (now) => ({
            ...withApproach(now, answer, issues),
            ...(conversation && { conversation }),
          }))
        : issue,
    ),
  )
}

/** The issue with its approach, and with the issues it waits for: the planner's beside those that a person or a reviewer named. */
function withApproach(
  issue: Issue,
  approaches: ReadonlyMap<string, PlannedApproach>,
  all: readonly Issue[],
): Issue {
  const approach = approaches.get(issue.code)
  if (!approach) return issue
  const waits = all.filter(({ code }) => approach.dependsOn.includes(code)).map(({ id }) => id)
  return {
    ...issue,
    plan: approach.plan,
    depends_on: [...new Set([...issue.depends_on, ...waits])].filter((id) => id !== issue.id),
  }
}

export interface PromptDraft {
  /** The issue that it is about; all of a batch, with commas between them. */
  readonly code: string
  readonly prompt: string
}

/** The very prompts that fixers would get, in the order of the plan; nothing is run, written or claimed. */
export async function draftPrompts(
  app: App,
  { issues, base, notes }: Pick<ApproachRequest, 'issues' | 'base' | 'notes'>,
): Promise<readonly PromptDraft[]> {
  const ports = await app.ports()
  const plan = planFixes(issues)
  const session = { base, options: sessionOptions(app, notes), plan }
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const ordered = issuesInOrder(plan).flatMap(({ issue_id }) => byId.get(issue_id) ?? [])
  if (session.options.strategy !== 'isolated') {
    const batches = await draftBatches(ordered, session, ports)
    return batches.map(({ name, prompt }) => ({ code: name, prompt }))
  }
  const drafts: PromptDraft[] = []
  for (const issue of ordered) {
    const prompt = await draftFixerPrompt({ issue, others: issues, session }, ports)
    drafts.push({ code: issue.code, prompt })
  }
  return drafts
}
