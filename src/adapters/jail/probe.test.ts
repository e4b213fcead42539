import { expect, test } from 'vitest'
import { describeProbe } from './index.ts'
import { probeBubblewrap, type Missing } from './probe.ts'

const nothing = { platform: 'linux', isProgram: () => false, readSetting: () => '' }

test('a machine without bubblewrap is told apart from a system that has none', async () => {
  expect(await probeBubblewrap(nothing)).toEqual({ found: false, why: 'not_installed', said: '' })
  expect(await probeBubblewrap({ ...nothing, platform: 'darwin' })).toMatchObject({ why: 'other_system' })
})

test.each<[Missing, RegExp, RegExp]>([
  [
    'not_installed',
    /^no jail: bubblewrap is not installed; agents and checks run with your rights$/,
    /apt-get install -y bubblewrap/,
  ],
  ['namespaces_restricted', /AppArmor/, /sysctl -w kernel\.apparmor_restrict_unprivileged_userns=0/],
  ['namespaces_forbidden', /user namespaces are not allowed here \(bwrap: no\)/, /seccomp/],
  ['other_system', /Linux only/, /container/],
  ['broken', /does not work here \(bwrap: no\)/, /bwrap --unshare-all/],
])('no jail because of %s is said, with what to do', (why, text, remedy) => {
  const state = describeProbe(
    { found: false, why, said: why === 'not_installed' ? '' : 'bwrap: no\nmore' },
    'auto',
  )
  expect(state).toMatchObject({
    isThere: false,
    text: expect.stringMatching(text),
    remedy: expect.stringMatching(remedy),
  })
})

test('a sandbox that is off is never called a jail', () => {
  const found = {
    found: true,
    program: '/usr/bin/bwrap',
    version: '0.8.0',
    can: { disableUserns: true, seccomp: true, layers: 'none', diesEarly: true },
  } as const
  expect(describeProbe(found, 'off')).toMatchObject({
    isThere: false,
    text: expect.stringMatching(/^no jail: sandbox is off/),
  })
  expect(describeProbe(found, 'auto')).toMatchObject({
    isThere: true,
    text: expect.stringMatching(/^jail: bubblewrap 0\.8\.0/),
  })
})
