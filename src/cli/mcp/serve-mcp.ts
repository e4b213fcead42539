import { McpServer, ResourceTemplate, type CallToolResult } from '@modelcontextprotocol/server'
import { formatSessionReport } from '../../adapters/exports/session-report.ts'
import { issuesByCode } from '../../app/fix/choose-issues.ts'
import { loadSession } from '../../app/fix/stored-session.ts'
import type { App } from '../../app/open-app.ts'
import { recordPersonsChange } from '../../app/people/record-command.ts'
import { redactor } from '../../app/redact/redact-exits.ts'
import { asFault } from '../../model/fault.ts'
import { sessionLine, wholeIssue, issueLine } from './short-answers.ts'
import { approveTool, sessionTools } from './session-tools.ts'
import { type ToolContext, mcpTool, type McpTool } from './mcp-tool.ts'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import { importFindings } from '../../app/review/import-findings.ts'
import { reviewRepository, reviewResult } from '../../app/review/review-repository.ts'
import { commandsOfNotes, readFixes, verifyFixes } from '../../app/verify/verify-fixes.ts'
import { IssueStatus } from '../../model/issue/issue.ts'
import { Severity } from '../../model/issue/severity.ts'
import { pageInput } from './page.ts'

export interface McpOptions extends ToolContext {
  readonly version: string
  /** Whether `approve` is offered. */
  readonly allowApprovals: boolean
}

/** Everything that a model may ask of this repository, over the Model Context Protocol. */
export function createMcpServer({ version, allowApprovals, ...context }: McpOptions): McpServer {
  const server = new McpServer({ name: 'fixpoint', version })
  for (const { name, description, input, isReading, run } of allowApprovals ? [...tools, approveTool] : tools)
    server.registerTool(
      name,
      { description, inputSchema: input, annotations: { readOnlyHint: isReading } },
      async (given): Promise<CallToolResult> => {
        try {
          const change = { action: `fixpoint mcp ${name}`, request: JSON.stringify(given) }
          const answer = isReading
            ? await run(given, context)
            : await recordPersonsChange(context.app, change, () => run(given, context))
          return { content: [{ type: 'text', text: shortText(answer) }] }
        } catch (error) {
          const { code, message, hint } = asFault(error)
          return { isError: true, content: [{ type: 'text', text: shortText({ code, message, hint }) }] }
        }
      },
    )
  addResources(server, context.app)
  return server
}

function addResources(server: McpServer, app: App): void {
  const add = (
    kind: 'issues' | 'sessions' | 'reports',
    mimeType: string,
    read: (id: string) => Promise<string>,
  ): void => {
    const template = new ResourceTemplate(`fixpoint://${kind}/{id}`, { list: undefined })
    server.registerResource(kind, template, { mimeType }, async (uri, { id }) => ({
      contents: [{ uri: uri.href, mimeType, text: await read(String(id)) }],
    }))
  }
  add('issues', 'application/json', async (code) => {
    const [issue] = await issuesByCode(app, [code])
    return issue ? shortText(wholeIssue(issue, (await app.store.reviews.ledger(issue.id)).attempts)) : ''
  })
  add('sessions', 'application/json', async (id) => {
    const stored = await loadSession(app, id)
    const issues = await app.store.issues.get(stored.session.issue_ids)
    return shortText(sessionLine(stored, issues, { limit: 50 }))
  })
  add('reports', 'text/markdown', async (id) => {
    const { session, attempts } = await loadSession(app, id)
    const issues = await app.store.issues.get(session.issue_ids)
    return cut(redactor.value(formatSessionReport(session, attempts, issues)))
  })
}

/** A model's context is short, and a client may refuse a longer answer. */
const mostText = 40_000

const cut = (text: string): string =>
  text.length <= mostText ? text : `${text.slice(0, mostText)}\n… (${text.length - mostText} characters more)`

const shortText = (value: object): string => cut(JSON.stringify(redactor.value(value), null, 1))

const listIssues = mcpTool({
  name: 'list_issues',
  description: 'Lists the issues of this repository, most urgent first, a page at a time.',
  isReading: true,
  input: z.object({
    status: z.array(IssueStatus).optional().describe('Only these; all without it.'),
    severity: z.array(Severity).optional(),
    search: z.string().max(200).optional().describe('Only those whose title, code or file holds this text.'),
    ...pageInput,
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

const showIssue = mcpTool({
  name: 'show_issue',
  description: 'Shows one issue: the problem, where it is, its questions and what was tried.',
  isReading: true,
  input: z.object({ code: z.string().describe('Its code, such as BE-001.') }),
  async run({ code }, { app }) {
    const [issue] = await issuesByCode(app, [code])
    return issue ? wholeIssue(issue, (await app.store.reviews.ledger(issue.id)).attempts) : {}
  },
})

const importReport = mcpTool({
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

const review = mcpTool({
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

const verifyCommit = mcpTool({
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

const tools: readonly McpTool[] = [listIssues, showIssue, importReport, review, ...sessionTools, verifyCommit]
