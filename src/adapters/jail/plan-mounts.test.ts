import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Room } from '../../loop/ports.ts'
import { planMounts } from './plan-mounts.ts'

function makeHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fixpoint-mounts-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const name of ['work', 'checkout', 'user/.pyenv/plugins', 'user/own'])
    mkdirSync(join(home, name), { recursive: true })
  return home
}

/** What the mounts say of places below the person's home. */
function mountsBelow(home: string, path: readonly string[], room: Partial<Room> = {}) {
  const user = join(home, 'user')
  const { mounts } = planMounts(
    { home, root: join(home, 'checkout'), userHome: user, objectDirs: [] },
    { network: 'loopback', ...room },
    { program: '/bin/true', args: [], cwd: join(home, 'work'), env: { PATH: path.join(':') } },
  )
  return mounts.flatMap(({ how, path: at }) => (at.startsWith(`${user}/`) ? [`${how} ${at}`] : []))
}

test('a folder of the PATH that is in sight with the folder around it is mounted once', () => {
  const home = makeHome()
  const pyenv = join(home, 'user/.pyenv')
  expect(mountsBelow(home, [join(pyenv, 'plugins')])).toEqual([`read ${pyenv}`])
})

test('a folder of the PATH that is a link out of the folder around it is mounted by itself', () => {
  const home = makeHome()
  const pyenv = join(home, 'user/.pyenv')
  symlinkSync(join(home, 'user/own'), join(pyenv, 'shims'))
  expect(mountsBelow(home, [join(pyenv, 'shims')])).toEqual([`read ${pyenv}`, `read ${pyenv}/shims`])
})

test('settings that are covered for others are in sight of the one who gets them', () => {
  const home = makeHome()
  const settings = join(home, 'user/.m2/settings.xml')
  mkdirSync(join(home, 'user/.m2'))
  writeFileSync(settings, '<settings/>')
  expect(mountsBelow(home, [])).toContain(`blank ${settings}`)
  expect(mountsBelow(home, [], { hasPackageSettings: true }).at(-1)).toBe(`read ${settings}`)
})
