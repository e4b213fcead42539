import type { Kysely } from 'kysely'
import type { TriageOutcome, TriagePlan, TriageRequest } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import type { Finding } from '../../../model/issue/finding.ts'
import type { IssueId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { locked } from '../locked.ts'
import type { Database, Tables } from '../tables.ts'
import { assignCodes } from './assign-codes.ts'
import { checkEdit, refuseHeld } from './edit-issue.ts'
import { findingRow } from '../reviews/finding-rows.ts'
import { insertIssues, updateIssues } from './issue-rows.ts'
import { readKnown } from './read-known.ts'

/** Plans with the known issues and stores the result, with no other writer in between. */
export const triage = (db: Database, request: TriageRequest): Promise<TriageOutcome> =>
  db.query.transaction().execute(async (transaction) => {
    const { review, findings } = request
    await lockRepository(db, transaction, review.repository_id)
    const known = await readKnown(transaction, review.repository_id, findings)
    const plan = request.plan(known)
    const knownById = new Map(known.map((issue) => [issue.id, issue]))
    checkPlan(plan, knownById, findings)
    const at = new Date(db.now()).toISOString()
    const created = await assignCodes(transaction, review.repository_id, plan.created)
    const changed = plan.changed.map((issue) => ({ ...issue, updated_at: at }))
    await transaction
      .insertInto('review')
      .values({ id: review.id, repository_id: review.repository_id, data: JSON.stringify(review) })
      // A large review comes in several batches.
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    const leads = leadsOf(created, findings, plan.issueOf)
    await insertIssues(db, transaction, created, leads)
    await updateIssues(db, transaction, changed, knownById)
    const joined = findings
      .map((finding, index) => [plan.issueOf[index] as IssueId, finding] as const)
      .filter(([id, finding]) => leads.get(id) !== finding)
    await insertFindings(db, transaction, joined)
    return { created, changed }
  })

async function lockRepository(db: Database, transaction: Kysely<Tables>, id: string): Promise<void> {
  const query = transaction.selectFrom('repository').select('id').where('id', '=', id)
  if (await locked(db, query).executeTakeFirst()) return
  throw new Fault('not_found', `There is no repository ${id}`)
}

function checkPlan(
  plan: TriagePlan,
  knownById: ReadonlyMap<IssueId, Issue>,
  findings: readonly Finding[],
): void {
  if (plan.issueOf.length !== findings.length)
    throw new Fault('internal', `${findings.length} findings were planned as ${plan.issueOf.length}`)
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

/** The first finding of each new issue, which is kept in the issue's own row. */
function leadsOf(
  created: readonly Issue[],
  findings: readonly Finding[],
  issueOf: readonly IssueId[],
): ReadonlyMap<IssueId, Finding> {
  const isNew = new Set(created.map((issue) => issue.id))
  const leads = new Map<IssueId, Finding>()
  for (const [index, finding] of findings.entries()) {
    const id = issueOf[index] as IssueId
    if (isNew.has(id) && !leads.has(id)) leads.set(id, finding)
  }
  return leads
}

async function insertFindings(
  db: Database,
  transaction: Kysely<Tables>,
  findings: readonly (readonly [IssueId, Finding])[],
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
