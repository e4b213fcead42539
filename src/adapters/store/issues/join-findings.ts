import type { Kysely } from 'kysely'
import type { IssueId } from '../../../model/id.ts'
import type { Finding } from '../../../model/issue/finding.ts'
import { findingRow, formatFinding, parseFinding, readJoined } from '../reviews/finding-rows.ts'
import { chunks } from '../tables/chunks.ts'
import type { Database, Tables } from '../tables/tables.ts'

export type JoinedFinding = readonly [IssueId, Finding]

/** Stores findings that joined an issue. One that the issue holds already, of an earlier review, is only seen again. */
export async function joinFindings(
  db: Database,
  transaction: Kysely<Tables>,
  joined: readonly JoinedFinding[],
): Promise<void> {
  if (joined.length === 0) return
  const held = await readHeld(transaction, joined)
  const fresh: JoinedFinding[] = []
  const again: { readonly held: Held; readonly finding: Finding }[] = []
  for (const [issueId, finding] of joined) {
    // Each is met once: two claims of one review stay two.
    const met = held.get(claimOf(issueId, finding))?.shift()
    if (met) again.push({ held: met, finding })
    else fresh.push([issueId, finding])
  }
  await insertFindings(db, transaction, fresh)
  await updateSeen(db, transaction, again)
}

interface Held {
  readonly issueId: IssueId
  readonly finding: Finding
  /** Whether it lies in the issue's own row. */
  readonly isLead: boolean
}

/** What a source claims, without where it stood in one commit and which review told it. */
function claimOf(issueId: IssueId, finding: Finding): string {
  const { id: _id, review_id: _review, line: _line, end_line: _end, anchor: _anchor, ...claim } = finding
  return `${issueId} ${formatFinding(claim as Finding)}`
}

async function readHeld(
  transaction: Kysely<Tables>,
  joined: readonly JoinedFinding[],
): Promise<ReadonlyMap<string, Held[]>> {
  const reviews = new Set(joined.map(([, { review_id }]) => review_id))
  const held: Held[] = []
  for (const ids of chunks([...new Set(joined.map(([id]) => id))])) {
    const leads = await transaction
      .selectFrom('issue')
      .select(['id', 'lead'])
      .where('id', 'in', ids)
      .execute()
    for (const { id, lead } of leads)
      if (lead !== null) held.push({ issueId: id as IssueId, finding: parseFinding(lead), isLead: true })
    for (const joinedLater of await readJoined(transaction, ids)) held.push({ ...joinedLater, isLead: false })
  }
  const earlier = held.filter(({ finding }) => !reviews.has(finding.review_id))
  return Map.groupBy(earlier, ({ issueId, finding }) => claimOf(issueId, finding))
}

async function insertFindings(
  db: Database,
  transaction: Kysely<Tables>,
  findings: readonly JoinedFinding[],
): Promise<void> {
  const [first] = findings
  if (!first) return
  const insert = transaction
    .insertInto('finding')
    .values(findingRow(...first))
    .compile()
  const rows = findings.values().map((one) => Object.values(findingRow(...one)))
  await db.executeMany(transaction, insert, rows)
}

/** The newest review that told it counts; the finding that an issue was made of stays as it was otherwise. */
async function updateSeen(
  db: Database,
  transaction: Kysely<Tables>,
  again: readonly { readonly held: Held; readonly finding: Finding }[],
): Promise<void> {
  const lead = transaction.updateTable('issue').set({ lead: '' }).where('id', '=', '').compile()
  const ofLeads = again.filter(({ held }) => held.isLead)
  await db.executeMany(
    transaction,
    lead,
    ofLeads.map(({ held: { issueId, finding: was }, finding: { review_id } }) => [
      formatFinding({ ...was, review_id }),
      issueId,
    ]),
  )
  const row = transaction
    .updateTable('finding')
    .set({ review_id: '', data: '' })
    .where('issue_id', '=', '')
    .where('id', '=', '')
    .compile()
  const ofRows = again.filter(({ held }) => !held.isLead)
  await db.executeMany(
    transaction,
    row,
    ofRows.map(
      ({
        held: {
          issueId,
          finding: { id },
        },
        finding,
      }) => [finding.review_id, formatFinding({ ...finding, id }), issueId, id],
    ),
  )
}
