import type { Spent } from '../../model/attempt/spending.ts'
import type { SessionId } from '../../model/id.ts'
import { isRecord } from '../../model/json-text.ts'
import type { Artifacts } from '../ports.ts'

const name = 'spent.json'

/** Writes down what a session has used, running agents included: a process that is killed would lose it otherwise. */
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
      // What cannot be written is lost only if this process is killed; rows that cannot be written end the session.
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

/** What was written down last; null where nothing was. */
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
