import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe } from 'vitest'
import { openSqliteStore } from '../../src/adapters/store/index.ts'
import { SqliteConnection } from '../../src/adapters/store/sqlite/sqlite-connection.ts'
import { sqliteDialect } from '../../src/adapters/store/sqlite/sqlite-dialect.ts'
import { describeQueryPlans } from './query-plans.ts'
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

describe('a SQLite database with many rows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-plans-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  describeQueryPlans(async () => {
    const file = join(folder, 'fixpoint.db')
    await (await openSqliteStore({ file, now: Date.now })).close()
    const connection = new SqliteConnection(file, 1_000)
    await connection.prepare()
    return {
      dialect: sqliteDialect(connection),
      explain: 'explain query plan',
      readsAll: (line) => /^SCAN (?!.* USING )/.test(line),
    }
  })
})
