import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { withApp, type RunCommand } from '../../command/context.ts'
import { createBackground } from '../../mcp/background.ts'
import { createMcpServer } from '../../mcp/serve-mcp.ts'

interface Options {
  readonly allowApprovals?: boolean
}

/** Serves until the client closes the connection; what runs then can be resumed. */
export const runMcp: RunCommand<Options> = ({ output, ...context }, options) =>
  withApp({ output, ...context }, {}, async (app) => {
    const background = createBackground(app, output.say)
    const gone = new AbortController()
    const server = createMcpServer({
      app,
      background,
      signal: gone.signal,
      version: context.version,
      allowApprovals: options.allowApprovals ?? false,
    })
    const transport = new StdioServerTransport()
    const closed = new Promise<void>((resolve) => {
      process.stdin.once('end', resolve)
      process.stdin.once('close', resolve)
      process.once('SIGTERM', () => resolve())
      process.once('SIGINT', () => resolve())
    })
    await server.connect(transport)
    output.say(`fixpoint mcp serves ${app.git.root}`)
    await closed
    gone.abort()
    await background.stop()
    await server.close()
    return 0
  })
