import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hastenJoining, makeControlGroup } from './control-group.ts'
import { defaultLimits } from './limits.ts'

test('what hastens the start of a jail leaves this process in the groups that it is in', async () => {
  const before = readFileSync('/proc/self/cgroup', 'utf8')
  hastenJoining()
  const group = await makeControlGroup(defaultLimits)
  hastenJoining()
  await group?.remove()
  expect(readFileSync('/proc/self/cgroup', 'utf8')).toBe(before)
})
