import { openHome } from '../../../app/home.ts'
import { readToken } from '../../../server/http/auth.ts'
import { Fault } from '../../../model/fault.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import { terminalFor, type DisplayOptions } from '../../command/terminal.ts'
import { faultOfRefusal, watchServer, type ServerPlace } from '../../watch/watch-server.ts'
import { watchStore } from '../../watch/watch-store.ts'
import type { Watched } from '../../watch/watched.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { eventLine } from '../../text/describe.ts'
import type { Output } from '../../command/output.ts'
import type { Terminal } from '../../../tui/draw.ts'

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
  return { url: origin, token: await readToken(openHome(env), env) }
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

const lookEveryMs = 500

/** Prints what happens until nobody works on the session any more; gives the exit code that it stands for. */
async function watchPlain(watched: Watched, output: Output, signal: AbortSignal): Promise<number> {
  const rested = new AbortController()
  const until = AbortSignal.any([signal, rested.signal])
  let seen = 0
  const following = watched.follow({
    signal: until,
    onEvent: (event) => {
      seen = event.seq ?? seen
      output.event(event)
      if (event.seq !== null) output.print(eventLine(event))
    },
    onTrouble: (trouble) => trouble !== null && output.say(trouble),
  })
  const looking = (async () => {
    while (!until.aborted) {
      const detail = await watched.access.detail()
      if (detail && !detail.driven && seen >= detail.last_seq) return
      await delay(lookEveryMs, undefined, { signal: until }).catch(() => undefined)
    }
  })()
  try {
    await Promise.race([following, looking])
  } finally {
    rested.abort()
    await Promise.allSettled([following, looking])
  }
  if (signal.aborted) return 0
  const { result, exitCode } = await watched.readEnd()
  output.result(result)
  return exitCode
}

interface Leaving {
  readonly terminal: Terminal
  readonly leaving: AbortController
  readonly onInterrupt: () => void
}

/** The whole screen until the person leaves it, also when the session is over. */
export async function watchScreen(
  watched: Watched,
  output: Output,
  { terminal, leaving, onInterrupt }: Leaving,
): Promise<number> {
  const { signal } = leaving
  const left = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  const { openScreen } = await import('../../../tui/open-screen.ts')
  const onLeave = (): void => leaving.abort()
  const screen = openScreen({ access: watched.access, mode: 'watch', terminal, onInterrupt, onLeave })
  const following = watched.follow({ signal, onEvent: screen.push, onTrouble: screen.trouble })
  try {
    await Promise.race([following.then(() => left), left])
  } finally {
    leaving.abort()
    await Promise.allSettled([following])
    await screen.close()
  }
  const { text, exitCode, isDriven } = await watched.readEnd()
  output.print(isDriven ? `${watched.id} goes on; fixpoint watch shows it again` : text)
  return isDriven ? 0 : exitCode
}
