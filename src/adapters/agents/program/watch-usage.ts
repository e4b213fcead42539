import type { AgentUpdate } from '../../../model/agent/agent.ts'

interface KnownUsage {
  readonly tokens: number
  readonly cost_usd: number
}

export interface UsageWatch {
  /** What is known by now; null where nothing is. */
  readonly read: () => Promise<KnownUsage | null>
  readonly onUpdate: (update: AgentUpdate) => void
  readonly everyMs?: number
}

/**
 * Reports what a program has used while it works, for one that reports at its end only but writes a record as it goes.
 * A record that cannot be read is read again a moment later.
 */
export async function watchUsage<Result>(
  { read, onUpdate, everyMs = 2_000 }: UsageWatch,
  work: () => Promise<Result>,
): Promise<Result> {
  let last = 0
  let reading: Promise<void> = Promise.resolve()
  let isReading = false
  const look = async (): Promise<void> => {
    const known = await read().catch(() => null)
    if (!known || known.tokens <= last) return
    last = known.tokens
    onUpdate({ type: 'usage', tokens: known.tokens, cost_usd: known.cost_usd })
  }
  const timer = setInterval(() => {
    if (isReading) return
    isReading = true
    reading = look().finally(() => {
      isReading = false
    })
  }, everyMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await reading
  }
}
