import { readTrust, trustItems } from '../../../app/trust/trust.ts'
import { startWorkerChores } from '../../../app/worker/worker-chores.ts'
import { loadConfig } from '../../../app/config/load-config.ts'
import { findRoot } from '../../../app/find-repository.ts'
import { openServing, type Serving } from '../../../server/serving/serving.ts'
import { readToken } from '../../../server/http/auth.ts'
import { Fault } from '../../../model/fault.ts'
import { parseDuration } from '../../../model/duration.ts'
import type { RepositoryId } from '../../../model/id.ts'
import { createLog, logErrorTo, type Log, type LogLevel } from '../../../server/log.ts'
import { hasPages, isLoopback, startServer, type RunningServer } from '../../../server/start-server.ts'
import { keepHeapSmall } from '../../command/keep-heap-small.ts'
import { openBrowser } from '../../command/open-browser.ts'
import { leaveAfter, nextSignal } from '../../command/stop-signals.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'

interface Options {
  readonly host: string
  readonly port: string
  readonly allowHost?: readonly string[]
  readonly logLevel: LogLevel
  readonly grace: string
  readonly yes?: boolean
  readonly open?: boolean
  readonly work: boolean
}

const collectEveryMs = 60 * 60_000

export const runServe: RunCommand<Options> = async (context, options) => {
  keepHeapSmall()
  const { env, output, version } = context
  const [port, graceMs] = [readPort(options.port), readGrace(options.grace)]
  const log = createLog(options.logLevel)
  const here = await listThisRepository(context, options)
  const running: { server?: RunningServer } = {}
  const serving = await openServing({
    env,
    works: options.work,
    onError: logErrorTo(log),
    onEvent: (event) => running.server?.onEvent(event),
  })
  const token = await readToken(serving.home, env)
  // No repository has a say in what this server believes.
  const own = await loadConfig({ repositoryRoot: null, env })
  const server = await startServer({
    serving,
    token,
    host: options.host,
    port,
    allowedHosts: options.allowHost ?? [],
    version,
    log,
    webhookSecret: own.config.github.app.webhook_secret,
    trustedProxy: own.config.server.trusted_proxy,
  })
  running.server = server
  const page = `${server.url}${here === null ? '/' : `/r/${here}/issues`}#token=${token}`
  if (!isLoopback(options.host))
    output.say(
      `warning: ${options.host} can be reached by other machines. Whoever has the token may run agents here, and nothing on the way is encrypted.`,
    )
  output.print(`Fixpoint is at ${page}`)
  if (!hasPages())
    output.say('warning: the dashboard is not built, so that only the API answers. npm run build makes it.')
  if (options.open) await openBrowser(page, context)
  // Whoever reads the address may ask the server to stop at once.
  const signalled = nextSignal()
  output.result({ schema: 'fixpoint.server.v1', url: server.url, page })
  const stopChores = await startChores(serving, { log, version })
  await stopAfter(signalled, server, { log, stopChores, graceMs })
  return 0
}

/** Opening the application puts the repository on the server's list; `--yes` trusts its commands. Gives its id, null outside of every repository. */
async function listThisRepository(
  context: CommandContext,
  { yes = false }: Pick<Options, 'yes'>,
): Promise<RepositoryId | null> {
  if ((await findRoot(context)) === null) return null
  return withApp(context, {}, async (app) => {
    if (yes) await trustItems(app, await readTrust(app, { for: 'session' }))
    return app.repository.id
  })
}

/** Deletes old artifacts, and goes on with sessions that rest unless workers do; until it is stopped. */
async function startChores(
  serving: Serving,
  { log, version }: { log: Log; version: string },
): Promise<() => Promise<void>> {
  const onError = logErrorTo(log)
  const collect = (): void =>
    void serving.collect().catch((error: unknown) => onError(error, 'collecting old artifacts'))
  const chores =
    serving.works && (await startWorkerChores({ ...serving, ...serving.works, version, onError }))
  collect()
  const timer = setInterval(collect, collectEveryMs)
  return async () => {
    clearInterval(timer)
    if (chores) await chores.stop()
  }
}

interface Stopping {
  readonly log: Log
  readonly stopChores: () => Promise<void>
  readonly graceMs: number
}

/** The first signal lets running steps finish, for as long as the grace is; the second does not wait. */
async function stopAfter(
  signalled: Promise<NodeJS.Signals>,
  server: RunningServer,
  { log, stopChores, graceMs }: Stopping,
): Promise<void> {
  const signal = await signalled
  log.info({ signal }, 'stopping: running steps may finish; sessions go on at the next start')
  const onLate = (): void => log.error('leaves without having put its sessions down')
  leaveAfter({ graceMs, onLate })
  void nextSignal().then(() => {
    leaveAfter({ graceMs: 0, onLate })
    return server.stop(0)
  })
  await stopChores()
  await server.stop(graceMs)
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
