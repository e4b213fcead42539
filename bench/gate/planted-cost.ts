import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plantTests } from '../../src/model/proof/planting/plant-test.ts'
import { writeFiles } from '../../test/fixtures/repositories.ts'
import type { Figure } from '../figure.ts'
import { median } from '../statistics.ts'
import { baseOf, testOf } from './fixers.ts'
import { readPrograms } from './programs.ts'

const ROUNDS = 5
const LIMIT_SECONDS = 1

/** The extra time that a runner takes for a file of tests with planted failing tests, compared with an empty file. */
export async function measurePlanted(): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'))
  try {
    const [program] = await readPrograms()
    if (!program) throw new Error('there is no program')
    const files = baseOf(program)
    const path = testOf(program)
    const [planted] = plantTests(
      { path, text: files[path] ?? '' },
      createHash('sha1').update(path).digest('hex'),
    )
    if (!planted) throw new Error('nothing can be planted')
    writeFiles(folder, { ...files, [path]: planted.text, 'test/empty.test.mjs': '' })
    const time = (file: string): number => {
      const start = performance.now()
      const { status } = spawnSync(process.execPath, ['--test', file], { cwd: folder })
      if ((status === 0) !== (file !== path)) throw new Error(`${file} ended with ${String(status)}`)
      return (performance.now() - start) / 1000
    }
    const rounds = Array.from({ length: ROUNDS }, () => time(path) - time('test/empty.test.mjs'))
    return {
      name: 'planted test beyond a start of the runner',
      value: Math.max(0, median(rounds)),
      limit: LIMIT_SECONDS,
      unit: 's',
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
