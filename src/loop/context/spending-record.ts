import type { Spent } from '../../model/attempt/spending.ts'
import type { SessionId } from '../../model/id.ts'
import { isRecord } from '../../model/json-text.ts'
import type { Artifacts } from '../ports.ts'

const name = 'spent.json'

/** Writes down the usage of a session, running agents included: it would be lost with a killed process otherwise. */
export function createSpendingRecord(
  artifacts: Pick<Artifacts, 'write'>,
  id: SessionId,
): (spent: Spent) => void {
  let next: Spent | null = null
  let isWriting = false
  const write = async (): Promise<void> => {
    isWriting = true
    for (let now = next; now !== null; now = next) {
      next = null
      // A record that cannot be written is lost only if this process is killed; rows that cannot be written end the
      // session.
      await artifacts.write(id, name, `${JSON.stringify(now)}\n`).catch(() => undefined)
    }
    isWriting = false
  }
  return (spent) => {
    if (spent.usd === 0 && spent.tokens === 0) return
    next = spent
    if (!isWriting) void write()
  }
}

/** The last record; null where there is none. */
export async function readSpendingRecord(
  artifacts: Pick<Artifacts, 'read'>,
  id: SessionId,
): Promise<Spent | null> {
  const text = await artifacts.read(id, name)
  try {
    const written: unknown = JSON.parse(text ?? 'null')
    const { usd, tokens } = isRecord(written) ? written : {}
    return typeof usd === 'number' && typeof tokens === 'number' ? { usd, tokens } : null
  } catch {
    return null // it was cut off when the process was killed
  }
}
