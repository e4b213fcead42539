import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../../../test/fixtures/repositories.ts'
import { watchFiles } from './watch-files.ts'

it('the watch over files tells code that was written, put back as it was, or deleted; not what was read, data, or what is new', () => {
  const { folder, dispose } = makeFolder()
  try {
    const paths = ['src/a.js', 'test/a.test.js', 'src/b.js', 'src/read.js', 'data/a.json']
    for (const each of ['src', 'test', 'data']) mkdirSync(join(folder, each))
    for (const path of paths) writeFileSync(join(folder, path), 'a\n')
    const written = watchFiles(folder, paths)
    const own = join(folder, 'test/a.test.js')
    const { atime, mtime } = statSync(own)
    writeFileSync(own, 'b\n')
    writeFileSync(own, 'a\n')
    utimesSync(own, atime, mtime)
    writeFileSync(join(folder, 'src/a.js'), 'b\n')
    rmSync(join(folder, 'src/b.js'))
    readFileSync(join(folder, 'src/read.js'))
    writeFileSync(join(folder, 'data/a.json'), 'b\n')
    writeFileSync(join(folder, 'src/new.js'), 'b\n')
    expect(written()).toEqual(['test/a.test.js', 'src/a.js', 'src/b.js'])
  } finally {
    dispose()
  }
})

it('the watch over files tells code of installed packages that was written or is new, and not what tools keep for themselves', () => {
  const { folder, dispose } = makeFolder()
  try {
    for (const each of ['node_modules/eq', 'node_modules/other', 'node_modules/.cache'])
      mkdirSync(join(folder, each), { recursive: true })
    for (const path of ['eq/index.js', 'eq/data.json', 'other/index.js', '.cache/a.js'])
      writeFileSync(join(folder, 'node_modules', path), 'a\n')
    const written = watchFiles(folder, [])
    // File systems tell the time in steps of a few milliseconds.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    for (const path of ['eq/index.js', 'eq/data.json', 'eq/new.js', '.cache/a.js'])
      writeFileSync(join(folder, 'node_modules', path), 'b\n')
    expect(written().toSorted()).toEqual(['node_modules/eq/index.js', 'node_modules/eq/new.js'])
  } finally {
    dispose()
  }
})
