import { expect, test } from 'vitest'
import { bwrapArguments, type JailPlan } from './bwrap-arguments.ts'

const plan: JailPlan = {
  mounts: [],
  cwd: '/ws',
  network: 'none',
  emptyBytes: 1024,
  can: { disableUserns: true, seccomp: true, layers: 'none', diesEarly: true },
}
const wordsOf = (given: Partial<JailPlan> = {}): string => bwrapArguments({ ...plan, ...given }).join(' ')

test('every wall stands, whatever the plan asks for', () => {
  expect(wordsOf()).toBe(
    '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net --disable-userns ' +
      '--seccomp 4 ' +
      '--cap-drop ALL --die-with-parent --json-status-fd 3 --dev /dev ' +
      '--size 1024 --perms 1777 --tmpfs /dev/shm --proc /proc --remount-ro / --remount-ro /dev --chdir /ws --',
  )
  expect(wordsOf({ network: 'open' })).not.toContain('--unshare-net')
})

test('a folder that hides others comes before what is bound in it, in whatever order they were named', () => {
  const words = wordsOf({
    mounts: [
      { how: 'write', path: '/home/me/.fixpoint/ws' },
      { how: 'read', path: '/home/me/.nvm' },
      { how: 'empty', path: '/home/me/.fixpoint' },
      { how: 'empty', path: '/home' },
      { how: 'blank', path: '/home/me/.nvm/key' },
    ],
  })
  const places = [
    '--tmpfs /home ',
    '--ro-bind /home/me/.nvm ',
    '--tmpfs /home/me/.fixpoint ',
    '--bind /home/me/.fixpoint/ws ',
  ]
  const found = places.map((place) => words.indexOf(place))
  expect(found.every((at) => at > 0)).toBe(true)
  expect(found).toEqual(found.toSorted((a, b) => a - b))
  expect(words).toContain('--dev-bind /dev/null /home/me/.nvm/key')
})

test('a hidden folder can be written to by nobody, once everything in it has its place', () => {
  const words = wordsOf({
    mounts: [
      { how: 'hidden', path: '/var/lib/db' },
      { how: 'read', path: '/var/lib/db/tools' },
      { how: 'read', path: '/var/lib' },
    ],
  })
  expect(words).toContain('--tmpfs /var/lib/db --ro-bind /var/lib/db/tools /var/lib/db/tools --remount-ro /')
  expect(words).toContain('--remount-ro /dev --remount-ro /var/lib/db --chdir')
})

test('what lies outside of all that is bound needs no cover: it is an empty folder, or not there', () => {
  const words = wordsOf({
    mounts: [
      { how: 'hidden', path: '/srv' },
      { how: 'blank', path: '/notes.txt' },
      { how: 'empty', path: '/tmp' },
      { how: 'hidden', path: '/tmp/home' },
      { how: 'link', path: '/bin', to: 'usr/bin' },
    ],
  })
  expect(words).toContain('--dir /srv')
  expect(words).toContain('--dir /tmp/home')
  expect(words).toContain('--symlink usr/bin /bin')
  expect(words).not.toContain('notes.txt')
  expect(words).not.toContain('--tmpfs /srv')
})

test('of two mounts of one place the later one counts', () => {
  const words = wordsOf({
    mounts: [
      { how: 'blank', path: '/a/b' },
      { how: 'read', path: '/a/b' },
    ],
  })
  expect(words).toContain('--ro-bind /a/b /a/b')
  expect(words).not.toContain('/dev/null')
})

test('a cache has a throw-away layer where bubblewrap can make one, and is read only where it cannot', () => {
  const mounts = [{ how: 'layer', path: '/c' }] as const
  expect(wordsOf({ mounts })).toContain('--ro-bind /c /c')
  const withLayers = (layers: 'own' | 'before') => wordsOf({ mounts, can: { ...plan.can, layers } })
  expect(withLayers('own')).toContain('--overlay-src /c --tmp-overlay /c')
  expect(withLayers('before')).toContain('--bind /c /c')
})
