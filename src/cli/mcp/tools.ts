import { Readable } from 'node:stream'
import { z } from 'zod'
import { answerApproval } from '../../app/fix/answer-approval.ts'
import { cancelAnywhere } from '../../app/fix/cancel-session.ts'
import { chooseIssues, issuesByCode } from '../../app/fix/choose-issues.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import { loadSession } from '../../app/fix/stored-session.ts'
import type { App } from '../../app/open-app.ts'
import { answerQuestions } from '../../app/prepare/clarify-issues.ts'
import { planIssues } from '../../app/prepare/plan-issues.ts'
import { importFindings, reviewRepository, reviewResult } from '../../app/review/review-repository.ts'
import { commandsOfNotes, readFixes, verifyFixes } from '../../app/verify/verify-fixes.ts'
import { IssueStatus } from '../../model/issue/issue.ts'
import { openQuestions } from '../../model/issue/questions.ts'
import { Severity } from '../../model/issue/severity.ts'
import { issueLine, sessionLine, wholeIssue } from './short-answers.ts'
import type { Background } from './background.ts'

/** What a tool works with. */
export interface ToolContext {
  readonly app: App
  readonly background: Background
  readonly signal: AbortSignal
}

interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: Input
  /** Whether it only reads. */
  readonly isReading: boolean
  run(input: z.output<Input>, context: ToolContext): Promise<object>
}

const tool = <Input extends z.ZodObject>(definition: Tool<Input>): Tool => definition

const codes = z.array(z.string()).min(1).max(100).describe('Codes such as BE-001.')
const mostListed = 50

const listIssues = tool({
  name: 'list_issues',
  description: 'Lists the issues of this repository, most urgent first, a page at a time.',
  isReading: true,
  input: z.object({
    status: z.array(IssueStatus).optional().describe('Only these; all without it.'),
    severity: z.array(Severity).optional(),
    search: z.string().max(200).optional().describe('Only those whose title, code or file holds this text.'),
    limit: z.number().int().min(1).max(mostListed).default(20),
    cursor: z.string().optional().describe('next_cursor of the page before.'),
  }),
  async run({ status, severity, search, limit, cursor }, { app }) {
    const page = await app.store.issues.list({
      repositoryId: app.repository.id,
      limit,
      ...(status && { status }),
      ...(severity && { severity }),
      ...(search !== undefined && { text: search }),
      ...(cursor !== undefined && { cursor }),
    })
    return { issues: page.issues.map(issueLine), next_cursor: page.nextCursor }
  },
})

const showIssue = tool({
  name: 'show_issue',
  description: 'Shows one issue: the problem, where it is, its questions and what was tried.',
  isReading: true,
  input: z.object({ code: z.string().describe('Its code, such as BE-001.') }),
  async run({ code }, { app }) {
    const [issue] = await issuesByCode(app, [code])
    return issue ? wholeIssue(issue, (await app.store.reviews.ledger(issue.id)).attempts) : {}
  },
})

const importReport = tool({
  name: 'import_findings',
  description:
    "Reads another tool's report (SARIF, ESLint, rdjson, JUnit, …) and keeps its findings as issues.",
  isReading: false,
  input: z.object({
    report: z.string().max(5_000_000).describe('The text of the report.'),
    format: z.string().optional().describe('Detected without it.'),
  }),
  async run({ report, format }, { app }) {
    const imported = await importFindings(app, {
      file: '-',
      name: 'the report',
      format: format ?? null,
      stdin: Readable.from([report]),
    })
    return { ...reviewResult(imported), format: imported.format, incomplete: imported.incomplete }
  },
})

const review = tool({
  name: 'review',
  description:
    'Lets the configured reviewers look at the code, and keeps what they find as issues. Takes minutes.',
  isReading: false,
  input: z.object({
    paths: z.array(z.string()).default([]).describe('Files or folders; everything without them.'),
    base: z.string().optional().describe('Only what changed since this branch left that revision.'),
  }),
  async run({ paths, base }, { app, signal }) {
    await requireTrusted(app, { for: 'review', revisions: ['HEAD', base ?? 'HEAD'] })
    return reviewResult(await reviewRepository(app, { paths, ...(base !== undefined && { base }) }, signal))
  },
})

const planFix = tool({
  name: 'plan_fix',
  description: 'Shows the steps and batches in which issues would be fixed. Runs nothing.',
  isReading: true,
  input: z.object({ codes: codes.optional().describe('All open ones without it.') }),
  async run({ codes: named }, { app }) {
    const { plan } = await planIssues(app, await chooseIssues(app, named ? { codes: named } : { all: true }))
    return { plan }
  },
})

const startFix = tool({
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

const sessionStatus = tool({
  name: 'session_status',
  description:
    'Says how a session goes: what became of each issue, what waits for a person, which questions are open.',
  isReading: true,
  input: z.object({ session_id: z.string() }),
  async run({ session_id }, { app }) {
    const stored = await loadSession(app, session_id)
    const issues = await app.store.issues.get(stored.session.issue_ids)
    return { ...sessionLine(stored, issues), questions: openQuestions(issues) }
  },
})

const answerQuestion = tool({
  name: 'answer_question',
  description: "Answers a question of the fixer's.",
  isReading: false,
  input: z.object({ question_id: z.string(), answer: z.string().min(1).max(5_000) }),
  async run({ question_id, answer }, { app }) {
    await answerQuestions(app, new Map([[question_id, answer]]))
    return { answered: question_id }
  },
})

const cancelSession = tool({
  name: 'cancel_session',
  description: 'Ends a session; its issues are open again.',
  isReading: false,
  input: z.object({ session_id: z.string() }),
  async run({ session_id }, { app }) {
    const { result } = await cancelAnywhere(app, session_id)
    return { session_id, status: result.status }
  },
})

const verifyCommit = tool({
  name: 'verify_commit',
  description: 'Checks landed fixes again, from the repository alone: trailers, note, commands, rule, tests.',
  isReading: true,
  input: z.object({ commits: z.array(z.string()).min(1).max(10) }),
  async run({ commits }, { app, signal }) {
    const fixes = await readFixes(app, commits)
    await requireTrusted(app, { revisions: ['HEAD', ...commits], commands: commandsOfNotes(app, fixes) })
    return { verifications: await verifyFixes(app, { fixes, signal, onVerdict: () => undefined }) }
  },
})

/** Only with `--allow-approvals`: a model that may approve is one that nobody watches. */
export const approveTool = tool({
  name: 'approve',
  description: 'Lets held patches change exactly the files that were asked about.',
  isReading: false,
  input: z.object({ session_id: z.string(), codes }),
  async run({ session_id, codes: named }, { app }) {
    await answerApproval(app, { sessionId: session_id, codes: named, answer: { approve: true } })
    return { approved: named, next: 'fixpoint resume goes on with the session' }
  },
})

export const tools: readonly Tool[] = [
  listIssues,
  showIssue,
  importReport,
  review,
  planFix,
  startFix,
  sessionStatus,
  answerQuestion,
  cancelSession,
  verifyCommit,
]
