import { expect, it } from 'vitest'
import { Fault } from '../../model/fault.ts'
import { findNamed } from './find-named.ts'

it('a name where no repository is known is answered with how to make one known', () => {
  const hintOf = (): string | undefined => {
    try {
      findNamed([], 'shop', { cwd: '/', flag: '--repository ' })
      return undefined
    } catch (error) {
      return error instanceof Fault ? error.hint : undefined
    }
  }
  expect(hintOf()).toBe('There is none yet: fixpoint repos add makes one known.')
})
