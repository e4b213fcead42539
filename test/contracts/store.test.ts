import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe } from 'vitest'
import { openSqliteStore } from '../../src/adapters/store/index.ts'
import type { TestDatabase } from './store-scene.ts'
import { describeStore } from './store-suite.ts'

const makeDatabase = async (): Promise<TestDatabase> => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-store-'))
  const file = join(folder, 'fixpoint.db')
  return {
    address: pathToFileURL(file).href,
    open: (now) => openSqliteStore({ file, now }),
    integrity: async () => {
      const store = await openSqliteStore({ file, now: Date.now })
      const problems = await store.integrity()
      await store.close()
      return problems
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

describe('the SQLite store', () => {
  describeStore(makeDatabase)
})
