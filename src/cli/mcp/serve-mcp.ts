import { McpServer, ResourceTemplate, type CallToolResult } from '@modelcontextprotocol/server'
import { formatSessionReport } from '../../adapters/exports/session-report.ts'
import { issuesByCode } from '../../app/fix/choose-issues.ts'
import { loadSession } from '../../app/fix/stored-session.ts'
import type { App } from '../../app/open-app.ts'
import { redactor } from '../../app/redact/redact-exits.ts'
import { asFault } from '../../model/fault.ts'
import { sessionLine, wholeIssue } from './short-answers.ts'
import { approveTool } from './session-tools.ts'
import type { ToolContext } from './mcp-tool.ts'
import { tools } from './tools.ts'

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
          return { content: [{ type: 'text', text: shortText(await run(given, context)) }] }
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
