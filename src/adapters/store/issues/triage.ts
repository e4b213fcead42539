import type { Kysely } from 'kysely'
import type {
  MovedFinding,
  TriageOutcome,
  TriagePart,
  TriagePlan,
  TriageRequest,
} from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import type { Finding } from '../../../model/issue/finding.ts'
import type { IssueId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import type { Database, Tables } from '../tables/tables.ts'
import { readCodeCounter, type CodeCounter } from './code-counter.ts'
import { checkEdit, refuseHeld } from './edit-issue.ts'
import { insertIssues, updateIssues } from './issue-rows.ts'
import { countForOrder, putHeldReview, putReview } from '../reviews/review-orders.ts'
import { joinFindings, type JoinedFinding } from './join-findings.ts'
import { readKnown, type KnownIssues } from './read-known.ts'

/** Plans with the known issues and stores the result, with no other writer in between. */
export const triage = (db: Database, { review, parts, held }: TriageRequest): Promise<TriageOutcome> =>
  db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, { repository: review.repository_id })
    await requireRepository(transaction, review.repository_id)
    await (held ? putHeldReview : putReview)(transaction, review)
    const codes = await readCodeCounter(transaction, review.repository_id)
    const outcome = { created: 0, changed: 0 }
    let write = async (): Promise<void> => undefined
    let written = write()
    let unwritten: readonly Issue[] = []
    try {
      for await (const part of parts) {
        await written
        const known = await readKnown(transaction, review.repository_id, {
          findings: part.findings,
          unwritten,
          commit: review.commit,
        })
        // One part is written while the next is planned, and the one after that is made.
        written = write()
        written.catch(() => undefined)
        const plan = completePlan(part, known, { codes, now: db.now() })
        write = () => writePart(db, transaction, plan)
        unwritten = [...plan.created, ...plan.changed]
        outcome.created += plan.created.length
        outcome.changed += plan.changed.length
      }
    } finally {
      // No write may still be under way when the transaction ends, however it ends.
      await written
    }
    await write()
    await codes.store()
    if (held) await countForOrder(transaction, held, outcome)
    return outcome
  })

/** Plans each part with the issues there are and with what the parts before it would make of them. */
export async function previewTriage(
  { query }: Pick<Database, 'query'>,
  { review, parts }: TriageRequest,
): Promise<TriageOutcome> {
  const unwritten = new Map<IssueId, Issue>()
  let [created, changed] = [0, 0]
  for await (const { findings, plan } of parts) {
    const known = await readKnown(query, review.repository_id, {
      findings,
      unwritten: [...unwritten.values()],
      commit: review.commit,
    })
    const planned = plan(known.issues, findings, known.voicesOf)
    created += planned.created.length
    changed += planned.changed.filter(({ id }) => !unwritten.has(id)).length
    for (const issue of planned.created) unwritten.set(issue.id, { ...issue, code: '' })
    for (const issue of planned.changed) unwritten.set(issue.id, issue)
  }
  return { created, changed }
}

/** A plan that was checked, with the codes of its new issues. */
interface CompletePlan extends Divided {
  readonly created: readonly Issue[]
  readonly changed: readonly Issue[]
  readonly moved: readonly MovedFinding[]
  readonly knownById: ReadonlyMap<IssueId, Issue>
}

function completePlan(
  { findings, plan }: TriagePart,
  known: KnownIssues,
  { codes, now }: { readonly codes: CodeCounter; readonly now: number },
): CompletePlan {
  const planned = plan(known.issues, findings, known.voicesOf)
  const knownById = new Map(known.issues.map((issue) => [issue.id, issue]))
  checkChanged(planned, knownById)
  const at = new Date(now).toISOString()
  return {
    ...divide(planned, knownById, findings),
    created: codes.assign(planned.created),
    changed: planned.changed.map((issue) => ({ ...issue, updated_at: at })),
    moved: planned.moved ?? [],
    knownById,
  }
}

async function writePart(
  db: Database,
  transaction: Kysely<Tables>,
  { leads, joined, created, changed, moved, knownById }: CompletePlan,
): Promise<void> {
  await insertIssues(db, transaction, { issues: created, leads })
  await updateIssues(db, transaction, { issues: changed, before: knownById })
  for (const { finding, from, to } of moved)
    await transaction
      .updateTable('finding')
      .set({ issue_id: to })
      .where('issue_id', '=', from)
      .where('id', '=', finding)
      .execute()
  await joinFindings(db, transaction, joined)
}

async function requireRepository(transaction: Kysely<Tables>, id: string): Promise<void> {
  const query = transaction.selectFrom('repository').select('id').where('id', '=', id)
  if (await query.executeTakeFirst()) return
  throw new Fault('not_found', `There is no repository ${id}`)
}

function checkChanged({ changed }: TriagePlan, knownById: ReadonlyMap<IssueId, Issue>): void {
  for (const issue of changed) {
    const before = knownById.get(issue.id)
    if (!before) throw new Fault('internal', `${issue.id} is changed by a plan that did not know it`)
    if (before.status !== issue.status) refuseHeld(before, null)
    checkEdit(before, issue, 'engine')
  }
}

interface Divided {
  /** Of each new issue the first finding, which is kept in the issue's own row. */
  readonly leads: ReadonlyMap<IssueId, Finding | null>
  /** The findings that joined an issue. */
  readonly joined: readonly JoinedFinding[]
}

function divide(
  { issueOf, created }: TriagePlan,
  knownById: ReadonlyMap<IssueId, Issue>,
  findings: readonly Finding[],
): Divided {
  if (issueOf.length !== findings.length)
    throw new Fault('internal', `${findings.length} findings were planned as ${issueOf.length}`)
  const leads = new Map<IssueId, Finding | null>(created.map(({ id }) => [id, null]))
  const joined: JoinedFinding[] = []
  for (const [index, finding] of findings.entries()) {
    const id = issueOf[index] as IssueId
    const lead = leads.get(id)
    if (lead === null) leads.set(id, finding)
    else if (lead !== undefined || knownById.has(id)) joined.push([id, finding])
    else throw new Fault('internal', `${id} is named by a plan that neither knew nor created it`)
  }
  return { leads, joined }
}
