import { Fault } from '../../model/fault.ts'

/** One thing that was looked at: whether it is well, what was seen, and what to do about it. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'error'
  readonly message: string
  readonly hint: string | null
}

/** What a look found: how it is, and the thing itself for later looks; nothing when it cannot be used. */
export interface Looked<Value> {
  readonly check: Check
  readonly value: Value | null
}

export interface Seen<Value> {
  readonly message: string
  readonly value: Value
  readonly status?: Check['status']
  readonly hint?: string | null
}

/** Takes one look; whatever is thrown becomes what the check says. */
export async function look<Value>(name: string, work: () => Promise<Seen<Value>>): Promise<Looked<Value>> {
  try {
    const { value, message, status = 'ok', hint = null } = await work()
    return { check: { name, status, message, hint }, value }
  } catch (error) {
    const hint = error instanceof Fault ? error.hint : null
    const message = error instanceof Error ? error.message : String(error)
    return { check: { name, status: 'error', message, hint }, value: null }
  }
}

/** `1 workspace`, `2 workspaces`. */
export const countOf = (number: number, noun: string, many = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : many}`
