import type { CheckCache, Hash, Pace } from '../../loop/ports.ts'

interface PaceOptions {
  readonly cache: CheckCache
  readonly hash: Hash
  /** Where it took that long. */
  readonly repository: string
}

/** Nobody waits for less. */
const shortMs = 1000
/** A change by less than this part is not worth a write. */
const closeEnough = 0.1

/** How long things took is kept beside the results of checks, as a run of nothing else; the newest counts half. */
export function rememberPace({ cache, hash, repository }: PaceOptions): Pace {
  const known = new Map<string, number | null>()
  const keyOf = (what: string): string => hash(JSON.stringify(['pace', repository, what]))
  const usualMs = async (what: string): Promise<number | null> => {
    const seen = known.get(what)
    if (seen !== undefined) return seen
    const ms = (await cache.get(keyOf(what)))?.duration_ms ?? null
    known.set(what, ms)
    return ms
  }
  return {
    usualMs,
    async note(what, ms) {
      const before = await usualMs(what)
      if (before === null && ms < shortMs) return
      const now = Math.round(before === null ? ms : (before + ms) / 2)
      if (before !== null && Math.abs(now - before) < before * closeEnough) return
      known.set(what, now)
      const nothing = { run: '', ended: 'exited', exit_code: null, output: '', tests: null } as const
      await cache.put(keyOf(what), { ...nothing, name: 'pace', flaky: false, duration_ms: now })
    },
  }
}
