import type { AuditStore } from '../../../loop/ports.ts'
import { AuditEntry } from '../../../model/people/audit-entry.ts'
import { parseStored } from '../tables/stored-json.ts'
import type { Database } from '../tables/tables.ts'

export const auditStore = (db: Database): AuditStore => ({
  async begin(entry) {
    const { id, person } = entry
    await db.query
      .insertInto('audit')
      .values({ id, person, data: JSON.stringify(entry) })
      .execute()
  },
  async end(id, outcome) {
    const row = await db.query.selectFrom('audit').select('data').where('id', '=', id).executeTakeFirst()
    if (!row) return
    const data = JSON.stringify({ ...parseStored(AuditEntry, row.data), outcome })
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
