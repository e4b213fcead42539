import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { Attempt } from '../../src/model/attempt/attempt.ts'
import { Session } from '../../src/model/session/session.ts'
import { envOf } from '../fixtures/command-line.ts'
import { canary } from '../fixtures/recovery/five-issues.ts'
import { findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { readOwn } from '../fixtures/recovery/read-state.ts'
import { makeRepository, type FixtureRepository } from '../fixtures/repositories.ts'

/** A record of the first version. These files are never edited: a later version with another format adds a folder. */
const readRecord = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../fixtures/records/v1', name), 'utf8')

interface Recorded {
  readonly base: { readonly commit: string; readonly tree: string }
  readonly repository_id: string
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, SQLInputValue>>[]>>
}

const never = new AbortController().signal

let repository: FixtureRepository
let app: App | null = null
afterEach(async () => {
  await app?.close()
  app = null
  repository?.dispose()
})

describe('what an older version recorded', () => {
  const { 'session-landing': landing, ...attempts } = JSON.parse(readRecord('stages.json')) as Record<
    string,
    unknown
  >

  it.each(Object.entries(attempts))(
    'an attempt that is %s is read and written back as it was',
    (_, attempt) => {
      expect(Attempt.parse(attempt)).toMatchObject(attempt as object)
    },
  )

  it('a session in the middle of a landing is read and written back as it was', () => {
    expect(Session.parse(landing)).toMatchObject(landing as object)
  })

  it('a session that was killed then is resumed to its end now', { timeout: 600_000 }, async () => {
    const files = JSON.parse(readRecord('files.json').replace('{{canary}}', canary)) as Record<string, string>
    repository = makeRepository(files)
    const own = readOwn(repository)
    const env = envOf(repository)
    const { id: repositoryId } = await restore(repository)
    app = await openApp({ cwd: repository.root, env })
    const [session] = await app.store.sessions.list(repositoryId, 1)
    const { result } = await resumeSession(app, session?.id ?? '', { stopStarting: never, endNow: never })
    expect(result).toMatchObject({ status: 'partial', issues_fixed: 4, issues_failed: 1 })
    const place = { root: repository.root, home: repository.home, env }
    expect(landedOn(place, result.base_commit, result.branch_name ?? '')).toHaveLength(4)
    expect(findViolations(place, { own }).join('\n')).toBe('')
  })
})

/** Puts the recorded rows into a new database, as rows of this repository: only its commit and its id differ. */
async function restore(fixture: FixtureRepository) {
  const opened = await openApp({ cwd: fixture.root, env: envOf(fixture) })
  const { repository: row, home } = opened
  await opened.close()
  const { base, repository_id: oldId } = JSON.parse(readRecord('tables.json')) as Recorded
  expect(fixture.git('rev-parse', 'HEAD^{tree}')).toBe(base.tree)
  const text = readRecord('tables.json')
    .replaceAll(base.commit, fixture.git('rev-parse', 'HEAD'))
    .replaceAll(oldId, row.id)
  const database = new DatabaseSync(join(home, 'fixpoint.db'))
  for (const [table, rows] of Object.entries((JSON.parse(text) as Recorded).tables))
    for (const recorded of rows) {
      const values = { ...columnsSince[table]?.(JSON.parse(recorded['data'] as string) as Said), ...recorded }
      const columns = Object.keys(values)
      const marks = columns.map(() => '?').join(', ')
      database
        .prepare(`insert into ${table} (${columns.join(', ')}) values (${marks})`)
        .run(...Object.values(values))
    }
  database.close()
  return row
}

/** The columns that were added since then, filled from the record. */
const columnsSince: Readonly<Record<string, (data: Said) => Readonly<Record<string, SQLInputValue>>>> = {
  issue: ({ created_at = '', flagged_by = [] }) => ({
    created_at,
    tools: `${flagged_by.map((name) => `\n${name}`).join('')}\n`,
  }),
  session: ({ status = '' }) => ({ status }),
}

interface Said {
  readonly created_at?: string
  readonly flagged_by?: readonly string[]
  readonly status?: string
}
