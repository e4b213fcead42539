import type { Config } from '../model/config/config.ts'
import { Fault } from '../model/fault.ts'

/** What stands between agents, checks and the machine: nothing yet, and it says so. */
export const sandboxState = 'no jail: agents and checks run with your rights' as const

/** `required` without a jail is refused; it never falls back in silence. */
export function checkSandbox(wanted: Config['sandbox']): void {
  if (wanted !== 'required') return
  throw new Fault(
    'sandbox_unavailable',
    'sandbox: required, but this version has no jail to put agents and checks into',
    {
      hint: 'Set sandbox to auto (it says "no jail") or off, or wait for a version that has one.',
    },
  )
}
