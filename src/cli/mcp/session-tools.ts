import { z } from 'zod'
import { answerApproval } from '../../app/fix/answer-approval.ts'
import { cancelAnywhere } from '../../app/fix/cancel-session.ts'
import { chooseIssues } from '../../app/fix/choose-issues.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import { loadSession } from '../../app/fix/stored-session.ts'
import { answerQuestions } from '../../app/prepare/clarify-issues.ts'
import { planIssues } from '../../app/prepare/plan-issues.ts'
import { openQuestions } from '../../model/issue/questions.ts'
import { plannedLines, sessionLine } from './short-answers.ts'
import { codes, mcpTool, type McpTool } from './mcp-tool.ts'
import { pageInput, pageFrom } from './page.ts'

const planFix = mcpTool({
  name: 'plan_fix',
  description:
    'Shows the steps in which issues would be fixed, a page at a time; what shares a step may run at the same time. Runs nothing.',
  isReading: true,
  input: z.object({ codes: codes.optional().describe('All open ones without it.'), ...pageInput }),
  async run({ codes: named, ...page }, { app }) {
    const chosen = await chooseIssues(app, named ? { codes: named } : { all: true })
    const { plan, estimatedCostUsd } = await planIssues(app, chosen)
    const { items, next_cursor } = pageFrom(plan.execution_steps.flatMap(plannedLines), page)
    return { issues_planned: chosen.length, estimated_cost_usd: estimatedCostUsd, issues: items, next_cursor }
  },
})

const startFix = mcpTool({
  name: 'start_fix',
  description:
    'Begins to fix issues and answers at once with the id of the session; session_status says how it goes.',
  isReading: false,
  input: z.object({
    codes,
    notes: z.string().max(10_000).optional().describe('What the fixer should know.'),
  }),
  async run({ codes: named, notes }, { app, background }) {
    await requireTrusted(app)
    const issues = await chooseIssues(app, { codes: named })
    return { session_id: await background.start(issues, notes ?? null) }
  },
})

const sessionStatus = mcpTool({
  name: 'session_status',
  description:
    'Says how a session goes: what became of its issues (a page at a time), what waits for a person, which questions are open.',
  isReading: true,
  input: z.object({ session_id: z.string(), ...pageInput }),
  async run({ session_id, ...page }, { app }) {
    const stored = await loadSession(app, session_id)
    const issues = await app.store.issues.get(stored.session.issue_ids)
    return { ...sessionLine(stored, issues, page), questions: openQuestions(issues).slice(0, page.limit) }
  },
})

const answerQuestion = mcpTool({
  name: 'answer_question',
  description: "Answers a question of the fixer's.",
  isReading: false,
  input: z.object({ question_id: z.string(), answer: z.string().min(1).max(5_000) }),
  async run({ question_id, answer }, { app }) {
    await answerQuestions(app, new Map([[question_id, answer]]))
    return { answered: question_id }
  },
})

const cancelSession = mcpTool({
  name: 'cancel_session',
  description: 'Ends a session; its issues are open again.',
  isReading: false,
  input: z.object({ session_id: z.string() }),
  async run({ session_id }, { app }) {
    const { result } = await cancelAnywhere(app, session_id)
    return { session_id, status: result.status }
  },
})

/** Only with `--allow-approvals`: a model that may approve is one that nobody watches. */
export const approveTool = mcpTool({
  name: 'approve',
  description: 'Lets held patches change exactly the files that were asked about.',
  isReading: false,
  input: z.object({ session_id: z.string(), codes }),
  async run({ session_id, codes: named }, { app }) {
    await answerApproval(app, { sessionId: session_id, codes: named, answer: { approve: true } })
    return { approved: named, next: 'fixpoint resume goes on with the session' }
  },
})

export const sessionTools: readonly McpTool[] = [
  planFix,
  startFix,
  sessionStatus,
  answerQuestion,
  cancelSession,
]
