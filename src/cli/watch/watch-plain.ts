import { setTimeout as delay } from 'node:timers/promises'
import { eventLine } from '../text/describe.ts'
import type { Output } from '../command/output.ts'
import type { Watched } from './watched.ts'

const lookEveryMs = 500

/** Prints what happens until nobody works on the session any more; gives the exit code that it stands for. */
export async function watchPlain(watched: Watched, output: Output, signal: AbortSignal): Promise<number> {
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
