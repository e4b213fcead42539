import { readTrust, trustItems } from '../../../app/trust/trust.ts'
import { findRoot } from '../../../app/find-repository.ts'
import { openServing } from '../../../server/serving/serving.ts'
import { readToken } from '../../../server/http/auth.ts'
import { Fault } from '../../../model/fault.ts'
import { parseDuration } from '../../../model/duration.ts'
import { createLog, logLevels, type Log, type LogLevel } from '../../../server/log.ts'
import { isLoopback, startServer, type RunningServer } from '../../../server/start-server.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'

interface Options {
  readonly host: string
  readonly port: string
  readonly allowHost?: readonly string[]
  readonly logLevel: string
  readonly grace: string
  readonly yes?: boolean
}

const pickUpEveryMs = 30_000
const collectEveryMs = 60 * 60_000

export const runServe: RunCommand<Options> = async (context, options) => {
  const { env, output, version } = context
  const log = createLog(readLevel(options.logLevel))
  await knowThisRepository(context, options.yes ?? false)
  const running: { server?: RunningServer } = {}
  const serving = await openServing({
    env,
    onError: (error, what) => log.error({ err: error }, what),
    onEvent: (event) => running.server?.onEvent(event),
  })
  const token = await readToken(serving.home, env)
  const server = await startServer({
    serving,
    token,
    host: options.host,
    port: readPort(options.port),
    allowedHosts: options.allowHost ?? [],
    version,
    log,
  })
  running.server = server
  const page = `${server.url}/#token=${token}`
  if (!isLoopback(options.host))
    output.say(
      `warning: ${options.host} can be reached by other machines. Whoever has the token may run agents here, and nothing on the way is encrypted.`,
    )
  output.print(`Fixpoint is at ${page}`)
  output.result({ schema: 'fixpoint.server.v1', url: server.url, page })
  const pickUp = async (): Promise<void> => {
    const sessions = await serving.pickUp()
    if (sessions.length > 0) log.info({ sessions }, 'going on with sessions that rested')
  }
  await pickUp()
  const again = setInterval(() => {
    pickUp().catch((error: unknown) => log.error({ err: error }, 'looking for sessions that rest'))
  }, pickUpEveryMs)
  const collect = (): void =>
    void serving.collect().catch((error: unknown) => log.error({ err: error }, 'collecting old artifacts'))
  collect()
  const collecting = setInterval(collect, collectEveryMs)
  const stopLooking = (): void => [again, collecting].forEach((timer) => clearInterval(timer))
  await untilSignal(server, log, stopLooking, readGrace(options.grace))
  return 0
}

/** A repository that the server is started in is on its list; `--yes` trusts its commands. */
async function knowThisRepository(context: CommandContext, hasSaidYes: boolean): Promise<void> {
  if ((await findRoot(context)) === null) return
  await withApp(context, {}, async (app) => {
    if (hasSaidYes) await trustItems(app, await readTrust(app, { for: 'session' }))
  })
}

/** The first signal lets running steps finish, for as long as the grace is; the second does not wait. */
async function untilSignal(
  server: RunningServer,
  log: Log,
  onSignal: () => void,
  graceMs: number,
): Promise<void> {
  const signal = await nextSignal()
  onSignal()
  log.info({ signal }, 'stopping: running steps may finish; sessions go on at the next start')
  void nextSignal().then(() => server.stop(0))
  await server.stop(graceMs)
}

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const nextSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      for (const name of STOPPING) process.off(name, onSignal)
      resolve(signal)
    }
    for (const name of STOPPING) process.on(name, onSignal)
  })

function readLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (level) return level
  throw new Fault('usage', `--log-level ${text}: one of ${logLevels.join(', ')} is expected`)
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new Fault('usage', `--port ${text}: a number up to 65535 is expected`)
}

function readGrace(text: string): number {
  const graceMs = parseDuration(text)
  if (graceMs !== null) return graceMs
  throw new Fault('usage', `--grace ${text}: a duration such as 10s is expected`)
}
