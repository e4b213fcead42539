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
