import type * as fs from 'node:fs'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readCheckedOut } from './checked-out-files.ts'

/** A socket of some systems and a disk that fails have codes of their own. */
vi.mock('node:fs', async (load) => {
  const real = await load<typeof fs>()
  const refuse = (path: string): never => {
    throw Object.assign(new Error(path), { code: path.endsWith('socket.js') ? 'EOPNOTSUPP' : 'EIO' })
  }
  return {
    ...real,
    openSync: (path: string, flags: number) =>
      /(?:socket|broken)\.js$/.test(path) ? refuse(path) : real.openSync(path, flags),
  }
})

let root = ''
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'checked-out-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const nameOf = (text: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

const place = () => ({ root, objectFormat: 'sha1' }) as const

it('gives the files that are byte for byte what git has by their names', async () => {
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'src/as-it-was.js'), 'é\r\n')
  writeFileSync(join(root, 'edited.js'), 'edited\n')
  symlinkSync('src/as-it-was.js', join(root, 'link.js'))
  symlinkSync('nowhere', join(root, 'dangling.js'))
  execFileSync('mkfifo', [join(root, 'pipe.js')])
  const read = await readCheckedOut(place(), [
    ['src/as-it-was.js', nameOf('é\r\n')],
    ['edited.js', nameOf('committed\n')],
    ['link.js', nameOf('é\r\n')],
    ['dangling.js', nameOf('nowhere')],
    ['pipe.js', nameOf('')],
    ['src', nameOf('')],
    ['gone.js', nameOf('gone\n')],
    ['src/as-it-was.js/below.js', nameOf('below\n')],
    ['socket.js', nameOf('socket\n')],
    ['broken.js', nameOf('broken\n')],
  ])
  expect(Object.fromEntries(read)).toEqual({ 'src/as-it-was.js': Buffer.from('é\r\n') })
})

it('gives up where the checkout is of something else', async () => {
  const files = Array.from({ length: 200 }, (_, at) => [`${at}.js`, nameOf(`${at}`)] as const)
  writeFileSync(join(root, '199.js'), '199')
  expect((await readCheckedOut(place(), files)).size).toBe(0)
})
