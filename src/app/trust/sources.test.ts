import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, expect, it, onTestFinished } from 'vitest'
import { makeRepository } from '../../../test/fixtures/repositories.ts'
import { createTrees, openRepository } from '../../adapters/workspaces/index.ts'
import { scriptLines } from './scripts.ts'
import { checkoutSource, readOfCheckout, treeSource } from './sources.ts'

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
  const names = ['package.json', 'link', 'pipe', 'folder', 'missing']
  mkdirSync(join(root, 'folder'))
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
  ['make -f .git/config', '.git/config'],
  ['make -f config', 'config'],
  ['make -f settings.mk', '.git'],
])('what %s would read outside of the repository is named and not shown', async (command, file) => {
  const root = makeCheckout()
  symlinkSync('../secret', join(root, 'link'))
  symlinkSync('..', join(root, 'folder'))
  symlinkSync('/dev/zero', join(root, 'zero'))
  writeFileSync(join(root, 'inside.mk'), 'include ../secret\n')
  mkdirSync(join(root, '.git'))
  writeFileSync(
    join(root, '.git/config'),
    '[remote "origin"]\n  url = https://me:canary@forge.example/a.git\n',
  )
  symlinkSync('.git/config', join(root, 'config'))
  writeFileSync(join(root, 'settings.mk'), 'include .git/*\n')
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

it('links of a commit lead where a checkout of it has them lead, and never out of it', async () => {
  const sample = makeRepository({
    'build/real.mk': 'include parts/*.mk\ntest:\n\tnode evil.mjs\n',
    'build/parts/a.mk': 'X := 1\n',
    'build/Makefile': { link: 'real.mk' },
    Makefile: { link: 'folder/Makefile' },
    folder: { link: './build/../build' },
    parts: { link: 'build/parts' },
    'round.mk': { link: 'round.mk' },
    'out.mk': { link: '../secret' },
    'far.mk': { link: '/etc/passwd' },
  })
  onTestFinished(sample.dispose)
  const git = await openRepository({ cwd: sample.root, home: sample.home, env: sample.env })
  const trees = createTrees(git)
  const head = await trees.resolve('HEAD')
  assert(head)
  const source = treeSource(git, trees, head.tree)
  expect(await scriptLines('make test', source)).toEqual([
    { file: 'Makefile', name: 'test', line: 'node evil.mjs' },
    { file: 'Makefile', name: 'settings', line: 'include parts/*.mk\nX := 1' },
  ])
  for (const name of ['round.mk', 'out.mk', 'far.mk'])
    expect(await scriptLines(`make -f ${name}`, source)).toEqual([
      { file: name, name: 'not followed', line: 'it is outside of the repository' },
    ])
})
