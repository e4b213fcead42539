import type { Kysely } from 'kysely'
import type { TriageOutcome, TriagePlan, TriageRequest } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import type { Finding } from '../../../model/finding.ts'
import type { IssueId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue.ts'
import { chunks } from '../chunks.ts'
import { locked } from '../locked.ts'
import type { Database, Tables } from '../tables.ts'
import { assignCodes } from './assign-codes.ts'
import { checkEdit, refuseHeld } from './edit-issue.ts'
import { findingRow } from '../reviews/finding-rows.ts'
import { fillIssue, insertIssues, updateIssues } from './issue-rows.ts'

/** Plans with the known issues and stores the result, with no other writer in between. */
export const triage = (db: Database, request: TriageRequest): Promise<TriageOutcome> =>
  db.query.transaction().execute(async (transaction) => {
    const { review, findings } = request
    await lockRepository(db, transaction, review.repository_id)
    const known = await readKnown(transaction, review.repository_id, findings)
    const plan = request.plan(known)
    checkPlan(plan, known, findings)
    const at = new Date(db.now()).toISOString()
    const created = await assignCodes(transaction, review.repository_id, plan.created)
    const changed = plan.changed.map((issue) => ({ ...issue, updated_at: at }))
    await transaction
      .insertInto('review')
      .values({ id: review.id, repository_id: review.repository_id, data: JSON.stringify(review) })
      // A large review comes in several batches.
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    await insertIssues(db, transaction, created)
    await updateIssues(db, transaction, changed)
    await insertFindings(db, transaction, findings, plan.issueOf)
    return { created, changed }
  })

async function lockRepository(db: Database, transaction: Kysely<Tables>, id: string): Promise<void> {
  const query = transaction.selectFrom('repository').select('id').where('id', '=', id)
  if (await locked(db, query).executeTakeFirst()) return
  throw new Fault('not_found', `There is no repository ${id}`)
}

/** The issues that share a fingerprint or a file with a finding. Rows are our own: at this number they are not checked. */
async function readKnown(
  transaction: Kysely<Tables>,
  repositoryId: string,
  findings: readonly Finding[],
): Promise<readonly Issue[]> {
  const ofRepository = transaction
    .selectFrom('issue')
    .select(['id', 'data'])
    .where('repository_id', '=', repositoryId)
  if (!(await ofRepository.limit(1).executeTakeFirst())) return []
  const known = new Map<string, Issue>()
  const keep = (rows: readonly { readonly id: string; readonly data: string }[]): void => {
    for (const { id, data } of rows) if (!known.has(id)) known.set(id, fillIssue(data))
  }
  const fingerprints = new Set(findings.map((finding) => finding.fingerprint))
  const files = new Set(findings.flatMap((finding) => finding.file ?? []))
  for (const chunk of chunks([...files])) keep(await ofRepository.where('file', 'in', chunk).execute())
  for (const chunk of chunks([...fingerprints]))
    keep(await ofRepository.where('fingerprint', 'in', chunk).execute())
  return [...known.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function checkPlan(plan: TriagePlan, known: readonly Issue[], findings: readonly Finding[]): void {
  if (plan.issueOf.length !== findings.length)
    throw new Fault('internal', `${findings.length} findings were planned as ${plan.issueOf.length}`)
  const knownById = new Map(known.map((issue) => [issue.id, issue]))
  const createdIds = new Set(plan.created.map((issue) => issue.id))
  const stray = plan.issueOf.find((id) => !createdIds.has(id) && !knownById.has(id))
  if (stray) throw new Fault('internal', `${stray} is named by a plan that neither knew nor created it`)
  for (const issue of plan.changed) {
    const before = knownById.get(issue.id)
    if (!before) throw new Fault('internal', `${issue.id} is changed by a plan that did not know it`)
    if (before.status !== issue.status) refuseHeld(before, null)
    checkEdit(before, issue, 'engine')
  }
}

async function insertFindings(
  db: Database,
  transaction: Kysely<Tables>,
  findings: readonly Finding[],
  issueOf: readonly IssueId[],
): Promise<void> {
  const rowAt = (finding: Finding, index: number) => findingRow(finding, issueOf[index] as IssueId)
  const [first] = findings
  if (!first) return
  const insert = transaction.insertInto('finding').values(rowAt(first, 0)).compile()
  const rows = findings.values().map((finding, index) => Object.values(rowAt(finding, index)))
  await db.executeMany(transaction, insert, rows)
}
