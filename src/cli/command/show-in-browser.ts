import type { Listener } from '../../app/publisher.ts'
import { readToken } from '../../server/http/auth.ts'
import { createLog } from '../../server/log.ts'
import { openServing } from '../../server/serving/serving.ts'
import { startServer } from '../../server/start-server.ts'
import type { CommandContext } from './context.ts'
import { openBrowser } from './open-browser.ts'

/** A dashboard beside a command, for as long as the command runs. */
export interface ShownDashboard extends AsyncDisposable {
  /** Passes on what the command does, live text too. */
  readonly onEvent: Listener
}

export const nobodyWatches: ShownDashboard = {
  onEvent: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
}

/** Serves the home of `served` on a free port of this machine, and opens it in the person's own browser. */
export async function showInBrowser(served: CommandContext, person: CommandContext): Promise<ShownDashboard> {
  const log = createLog('error')
  const serving = await openServing({
    env: served.env,
    onError: (error, what) => log.error({ err: error }, what),
  })
  const token = await readToken(serving.home, served.env)
  const server = await startServer({
    serving,
    token,
    host: '127.0.0.1',
    port: 0,
    version: person.version,
    log,
  })
  const page = `${server.url}/#token=${token}`
  person.output.say(`Watch it at ${page}`)
  await openBrowser(page, person)
  return { onEvent: serving.feeds.publish, [Symbol.asyncDispose]: () => server.stop(0) }
}
