import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findPrivatePlaces } from './private-places.ts'

const root = mkdtempSync(join(tmpdir(), 'fixpoint-system-'))
afterAll(() => rmSync(root, { recursive: true }))
for (const folder of [
  'usr',
  'etc/tool',
  'etc/keys',
  'opt/tool',
  'opt/secret',
  'var/lib/db',
  'var/own',
  'srv',
  'work',
])
  mkdirSync(join(root, folder), { recursive: true })
for (const file of ['etc/passwd', 'etc/shadow', 'etc/tool/key', 'notes.txt'])
  writeFileSync(join(root, file), '')
symlinkSync('usr', join(root, 'link'))
for (const file of ['etc/shadow', 'etc/tool/key']) chmodSync(join(root, file), 0o640)
for (const folder of ['etc/keys', 'var/lib/db', 'opt/secret']) chmodSync(join(root, folder), 0o700)

const found = (isRoot: boolean) => {
  const { folders, files } = findPrivatePlaces(root, { isRoot })
  return [...folders, ...files].map((path) => path.slice(root.length + 1))
}

test('whatever is no part of the system is private', () => {
  expect(found(false)).toEqual(expect.arrayContaining(['srv', 'work', 'home', 'notes.txt', 'tmp', 'run']))
  expect(found(false)).toContain('var/own')
  expect(findPrivatePlaces(root, { isRoot: false })).toMatchObject({
    system: expect.arrayContaining(
      ['etc', 'opt', 'usr', 'var/lib'].map((name) => join(root, name)),
    ) as string[],
    links: [{ path: join(root, 'link'), to: 'usr' }],
  })
  for (const name of ['usr', 'etc', 'opt', 'link', 'etc/passwd', 'opt/tool'])
    expect(found(true)).not.toContain(name)
})

test('for root, who may read everything, what others may not read is private too', () => {
  const closed = ['etc/shadow', 'etc/tool/key', 'etc/keys', 'var/lib/db', 'opt/secret']
  expect(found(true)).toEqual(expect.arrayContaining(closed))
  for (const name of closed) expect(found(false)).not.toContain(name)
})
