import type { App } from '../open-app.ts'
import { describeUntrusted, isTrusted, notTrusted, readTrust, type TrustScope } from '../trust/trust.ts'

/** Refuses to go on until a person trusts what the repository's files would run or load; here nobody can be asked. */
export async function requireTrusted(app: App, scope: Partial<TrustScope> = {}): Promise<void> {
  const state = await readTrust(app, { for: 'session', ...scope })
  if (isTrusted(state)) return
  throw notTrusted(
    state,
    describeUntrusted(state),
    'Read it, then trust it: on the page of the repository, with fixpoint trust, or in a program with trust: true.',
  )
}
