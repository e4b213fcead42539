import type { AccessTokenStore, KeptToken, AuditStore } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { cutText } from '../../../model/issue/finding-text.ts'
import { AccessToken, isLive } from '../../../model/people/access-token.ts'
import { parseStored, readStored } from '../tables/stored-json.ts'
import type { Database } from '../tables/tables.ts'
import { AuditEntry } from '../../../model/people/audit-entry.ts'

export const accessTokenStore = (db: Database): AccessTokenStore => ({
  create: (token, hash) => create(db, { token, hash }),
  async list() {
    const rows = await db.query.selectFrom('access_token').selectAll().orderBy('id', 'desc').execute()
    return rows.map(({ data }) => parseStored(AccessToken, data))
  },
  async find(by) {
    const [[column, value]] = Object.entries(by) as [['hash' | 'id' | 'name', string]]
    const rows = await db.query.selectFrom('access_token').selectAll().where(column, '=', value).execute()
    const kept = rows.map(({ hash, data }) => ({ hash, token: parseStored(AccessToken, data) }))
    return kept.find(({ token }) => isLive(token, db.now())) ?? null
  },
  revoke: (id) => revoke(db, id),
})

/** Two valid tokens of one name would leave open whose rights the name has. */
const create = (db: Database, { token, hash }: KeptToken): Promise<void> =>
  db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, 'all')
    const { id, name } = token
    const same = await transaction
      .selectFrom('access_token')
      .select('data')
      .where('name', '=', name)
      .execute()
    if (same.some(({ data }) => isLive(parseStored(AccessToken, data), db.now())))
      throw new Fault('busy', `"${name}" has a valid token already`, {
        hint: `Revoke it first (fixpoint tokens revoke ${name}), or choose another name.`,
      })
    await transaction
      .insertInto('access_token')
      .values({ id, name, hash, data: JSON.stringify(token) })
      .execute()
  })

const revoke = (db: Database, id: string): Promise<boolean> =>
  db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, 'all')
    const token = await readStored(transaction, { table: 'access_token', schema: AccessToken }, id)
    if (!token || token.revoked_at !== null) return false
    const data = JSON.stringify({ ...token, revoked_at: new Date(db.now()).toISOString() })
    await transaction.updateTable('access_token').set({ data }).where('id', '=', id).execute()
    return true
  })

/** A report that somebody hands over need not be in the record of changes too. */
const mostRequest = 2_000

export const auditStore = (db: Database): AuditStore => ({
  async begin(entry) {
    const { id, person } = entry
    const request = entry.request && cutText(entry.request, mostRequest)
    await db.query
      .insertInto('audit')
      .values({ id, person, data: JSON.stringify({ ...entry, request }) })
      .execute()
  },
  async end(id, outcome) {
    const entry = await readStored(db.query, { table: 'audit', schema: AuditEntry }, id)
    if (!entry) return
    const data = JSON.stringify({ ...entry, outcome })
    await db.query.updateTable('audit').set({ data }).where('id', '=', id).execute()
  },
  async list({ person, before, limit }) {
    const rows = await db.query
      .selectFrom('audit')
      .select('data')
      .$if(person !== undefined, (rest) => rest.where('person', '=', person ?? ''))
      .$if(before !== undefined, (rest) => rest.where('id', '<', before ?? ''))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map(({ data }) => parseStored(AuditEntry, data))
  },
})
