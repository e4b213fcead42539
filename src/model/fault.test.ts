import { describe, expect, it } from 'vitest'
import { asFault, exitCodeOf, Fault, faultCodes, isDiskFull, isRetryable, isSessionFault } from './fault.ts'

const systemError = (code: string): Error => Object.assign(new Error(code), { code })

describe('a full disk', () => {
  it.each([
    ['our own fault', new Fault('disk_full', 'no room')],
    ['the error of a write', systemError('ENOSPC')],
    ['a used up quota', systemError('EDQUOT')],
    ['the cause of another error', new Error('it did not work', { cause: systemError('ENOSPC') })],
  ])('is known from %s, and ends the session for now', (_, error) => {
    expect([isDiskFull(error), isSessionFault(error)]).toEqual([true, true])
  })

  it.each([[new Fault('git_failed', 'no')], [systemError('ENOENT')], ['ENOSPC'], [null]])(
    'is not read into %s',
    (error) => {
      expect([isDiskFull(error), isSessionFault(error)]).toEqual([false, false])
    },
  )
})

it('a store that cannot be written ends the session, not one issue', () => {
  expect(isSessionFault(new Fault('store_failed', 'damaged'))).toBe(true)
})

it.each(faultCodes)('%s is retryable exactly when its exit code is 75', (code) => {
  expect(exitCodeOf(code) === 75).toBe(isRetryable(code))
})

it('what another process works on, a full disk, limits and a service out of reach may be tried again', () => {
  expect(faultCodes.filter(isRetryable)).toEqual([
    'store_unreachable',
    'artifacts_unreachable',
    'disk_full',
    'system_limit',
    'busy',
    'already_running',
    'rate_limited',
    'forge_busy',
  ])
})

it.each([
  ['EMFILE', 'system_limit'],
  ['EROFS', 'home_unusable'],
  ['ENOSPC', 'disk_full'],
  ['EWHATEVER', 'internal'],
])('what the system refuses as %s is the fault %s', (code, fault) =>
  expect(asFault(Object.assign(new Error('no'), { code })).code).toBe(fault),
)
