import { CompiledQuery, type Dialect, Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { storeOn } from '../../src/adapters/store/store.ts'
import type { Database, Tables } from '../../src/adapters/store/tables/tables.ts'
import { IssueId, ReviewId, SessionId } from '../../src/model/id.ts'
import { repositoryId } from '../fixtures/store/samples.ts'

export interface PlannedDatabase {
  readonly dialect: Dialect
  /** The statement that asks for a plan, and a test for lines of the plan that read a whole table. */
  readonly explain: string
  readonly readsAll: (line: string) => boolean
}

type Store = ReturnType<typeof storeOn>

const questions: readonly (readonly [title: string, ask: (store: Store) => Promise<unknown>])[] = [
  ['the first page of issues', ({ issues }) => issues.list({ repositoryId, limit: 50 })],
  [
    'a page of one status and severity',
    ({ issues }) => issues.list({ repositoryId, status: ['open'], severity: ['major'], limit: 50 }),
  ],
  ['totals by status and severity', ({ issues }) => issues.count({ repositoryId })],
  ['totals of one rule', ({ issues }) => issues.count({ repositoryId, rule: ['a'] })],
  ['the facets of a list', ({ issues }) => issues.facets({ repositoryId })],
  ['issues by their codes', ({ issues }) => issues.byCode(repositoryId, ['BE-001', 'BE-002'])],
  ['the newest sessions of a repository', ({ sessions }) => sessions.list(repositoryId, 20)],
  ['what happened in a review', ({ reviewOrders }) => reviewOrders.events(ReviewId.parse('rev_1'))],
  ['sessions that run', ({ sessions }) => sessions.heads({ status: ['running'], limit: 100 })],
  [
    'sessions of a repository that wait',
    ({ sessions }) => sessions.heads({ repositoryId, status: ['pending'], limit: 100 }),
  ],
  [
    'the ledger of a session after an event',
    ({ sessions }) => sessions.events(SessionId.parse('ses_1'), 10, 100),
  ],
  ['the ledger of an issue', ({ reviews }) => reviews.ledger(IssueId.parse('iss_1'))],
  ['a session with its attempts', ({ sessions }) => sessions.load(SessionId.parse('ses_1'))],
  ['what was trusted of a repository', ({ repositories }) => repositories.trusted(repositoryId)],
]

/** Tables that grow with people's work; the others have a row for each repository or worker. */
const large = ['issue', 'finding', 'session', 'attempt', 'event', 'issue_move', 'review_event']

/** Asks the database for its plan of each query of the store, and expects that no plan reads a whole table. */
export function describeQueryPlans(open: () => Promise<PlannedDatabase>): void {
  it.each(questions)('an index answers: %s', async (_title, ask) => {
    const { dialect, explain, readsAll } = await open()
    const asked: CompiledQuery[] = []
    const query = new Kysely<Tables>({ dialect, log: (event) => void asked.push(event.query) })
    try {
      const db: Database = {
        query,
        now: Date.now,
        executeMany: async () => undefined,
        countInserted: async () => undefined,
        lockRepository: async () => undefined,
        forMany: async () => db,
      }
      await ask(storeOn(db))
      const read = asked.filter(({ sql }) => /^\s*(with|select)/i.test(sql))
      expect(read.length).toBeGreaterThan(0)
      for (const { sql, parameters } of read) {
        const { rows } = await query.executeQuery(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]))
        const lines = rows.flatMap((row) => Object.values(row as object).map(String))
        const whole = lines.filter(
          (line) => readsAll(line) && large.some((table) => new RegExp(`\\b${table}\\b`).test(line)),
        )
        expect(whole, `${sql}\n${lines.join('\n')}`).toEqual([])
      }
    } finally {
      await query.destroy()
    }
  })
}
