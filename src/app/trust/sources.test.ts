import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scriptLines } from './scripts.ts'
import { checkoutSource, readOfCheckout } from './sources.ts'

function makeCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const root = join(folder, 'checkout')
  mkdirSync(root)
  writeFileSync(join(folder, 'secret'), 'TOKEN := canary\n')
  return root
}

it('the reader reads files alone: a pipe, a device or a folder in the place of one keeps nobody waiting', async () => {
  const root = makeCheckout()
  writeFileSync(join(root, 'package.json'), '{}')
  execFileSync('mkfifo', [join(root, 'pipe')])
  symlinkSync('package.json', join(root, 'link'))
  const names = ['package.json', 'link', 'pipe', '.git', 'missing']
  mkdirSync(join(root, '.git'))
  const texts = await Promise.all(names.map((name) => readOfCheckout(root, name)))
  expect(texts).toEqual(['{}', '{}', null, null, null])
})

it.each([
  ['make -f ../secret', '../secret'],
  ['cd .. && make --file=secret', '../secret'],
  ['make -f link', 'link'],
  ['make -f folder/secret', 'folder/secret'],
  ['make -f inside.mk', '../secret'],
  ['make -f /etc/passwd', '/etc/passwd'],
  ['cd / && make -f etc/passwd', '/etc/passwd'],
  ['make -f zero', 'zero'],
])('what %s would read outside of the repository is named and not shown', async (command, file) => {
  const root = makeCheckout()
  symlinkSync('../secret', join(root, 'link'))
  symlinkSync('..', join(root, 'folder'))
  symlinkSync('/dev/zero', join(root, 'zero'))
  writeFileSync(join(root, 'inside.mk'), 'include ../secret\n')
  const lines = await scriptLines(command, checkoutSource(root))
  expect(lines).toContainEqual({ file, name: 'not followed', line: 'it is outside of the repository' })
  expect(JSON.stringify(lines)).not.toMatch(/canary|root:/)
})

it('refuses a file that is too long to be read, in which what is run could hide', async () => {
  const root = makeCheckout()
  writeFileSync(join(root, 'package.json'), '{}')
  truncateSync(join(root, 'package.json'), 2 ** 40)
  await expect(scriptLines('npm test', checkoutSource(root))).rejects.toMatchObject({
    code: 'repository_unsupported',
    message: expect.stringContaining('package.json is longer than'),
  })
})
