import { resolveHome } from '../../../app/home.ts'
import { readToken } from '../../../server/http/auth.ts'
import { Fault } from '../../../model/fault.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import { terminalFor, type DisplayOptions } from '../../command/terminal.ts'
import { watchPlain } from '../../watch/watch-plain.ts'
import { watchScreen } from '../../watch/watch-screen.ts'
import { faultOfRefusal, watchServer, type ServerPlace } from '../../watch/watch-server.ts'
import { watchStore } from '../../watch/watch-store.ts'
import type { Watched } from '../../watch/watched.ts'

interface Options extends DisplayOptions {
  readonly session?: string
  readonly url?: string
}

/** Shows a session that others drive; leaving does not stop it. */
export const runWatch: RunCommand<Options> = async (context, options) => {
  const url = options.url ?? context.env['FIXPOINT_URL']
  if (url) return watchUrl(url, context, options)
  return withApp(context, {}, async (app) =>
    watch(await watchStore(app, context.output, options.session), context, options),
  )
}

async function watchUrl(url: string, context: CommandContext, options: Options): Promise<number> {
  try {
    const watched = await watchServer(await placeOf(url, context), options.session)
    return await watch(watched, context, options)
  } catch (error) {
    throw faultOfRefusal(error)
  }
}

/** The address that `fixpoint serve` prints holds the token; without one it is the token of this machine's server. */
async function placeOf(text: string, { env }: CommandContext): Promise<ServerPlace> {
  if (!URL.canParse(text)) throw new Fault('usage', `--url takes the address of a server, not "${text}"`)
  const { origin, hash, hostname } = new URL(text)
  const given = new URLSearchParams(hash.slice(1)).get('token') ?? env['FIXPOINT_TOKEN']
  if (given) return { url: origin, token: given }
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    throw new Fault('usage', `the token of the server at ${hostname} is not known`, {
      hint: 'Give the whole address that fixpoint serve printed, or set FIXPOINT_TOKEN.',
    })
  return { url: origin, token: await readToken(resolveHome(env), env) }
}

async function watch(watched: Watched, context: CommandContext, options: Options): Promise<number> {
  const terminal = terminalFor(context, options)
  const leaving = new AbortController()
  let signalled: number | null = null
  const leaveOn = (code: number) => (): void => {
    signalled = code
    leaving.abort()
  }
  const [onHangUp, onInterrupt, onTerminate] = [leaveOn(129), leaveOn(130), leaveOn(143)]
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)
  process.on('SIGHUP', onHangUp)
  try {
    const exitCode = terminal
      ? await watchScreen(watched, context.output, { terminal, leaving, onInterrupt })
      : await watchPlain(watched, context.output, leaving.signal)
    return signalled ?? exitCode
  } finally {
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onTerminate)
    process.off('SIGHUP', onHangUp)
  }
}
