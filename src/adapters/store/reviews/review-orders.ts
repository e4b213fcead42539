import type { Kysely } from 'kysely'
import type { ReviewOrderStore } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { Review } from '../../../model/issue/review.ts'
import { ReviewEvent } from '../../../model/review/review-event.ts'
import {
  ReviewOrder,
  type HeldReview,
  type NewReviewEvent,
  type StoredReviewOrder,
} from '../../../model/review/review-order.ts'
import { parseStored, readStored } from '../tables/stored-json.ts'
import type { Database, TableRow, Tables } from '../tables/tables.ts'

export const reviewOrderStore = (db: Database): ReviewOrderStore => ({
  add: (order, review, owner) =>
    writing(db, order, async (transaction) => {
      await putReview(transaction, review)
      const row = { id: order.review_id, repository_id: order.repository_id, number: 0, last_seq: 0, owner }
      await transaction
        .insertInto('review_order')
        .values({ ...row, data: JSON.stringify(order) })
        .execute()
    }),
  read: (id) => read(db.query, id),
  async open() {
    const rows = await db.query.selectFrom('review_order').selectAll().orderBy('id').execute()
    return rows.map(jobOf)
  },
  take: ({ reviewId, number }, owner) =>
    ofReview(db, reviewId, async (transaction, stored) => {
      if (stored?.number !== number) return null
      const order = afterTaking(stored)
      await put(transaction, reviewId, { number: number + 1, owner, data: JSON.stringify(order) })
      return { ...stored, order, owner, number: number + 1, held: { reviewId, number: number + 1 } }
    }),
  giveBack: (held) =>
    ofReview(db, held.reviewId, async (transaction, stored) => {
      if (stored?.number === held.number) await put(transaction, held.reviewId, { owner: null })
    }),
  requestEnd: (id) =>
    ofReview(db, id, async (transaction, stored) => {
      if (stored) await put(transaction, id, { data: JSON.stringify({ ...stored.order, wish: 'end' }) })
      return stored !== null
    }),
  report: (held, event) =>
    ofReview(db, held.reviewId, async (transaction, stored) =>
      append(transaction, requireHeld(stored, held), event),
    ),
  end: (held, { review, event }) =>
    ofReview(db, held.reviewId, async (transaction, stored) => {
      await append(transaction, requireHeld(stored, held), event)
      const known = review ?? (await readReview(transaction, held.reviewId))
      if (known) await putReview(transaction, { ...known, running: undefined })
      await transaction.deleteFrom('review_order').where('id', '=', held.reviewId).execute()
    }),
  async events(id) {
    const query = db.query.selectFrom('review_event').select('data').where('review_id', '=', id)
    const rows = await query.orderBy('seq').execute()
    return rows.map(({ data }) => parseStored(ReviewEvent, data))
  },
})

type Unfinished = Omit<Review, 'running'> & { readonly running?: Review['running'] | undefined }

/** Whoever takes over from a process that ended without getting any further counts that. */
function afterTaking({ order, owner, lastSeq }: StoredReviewOrder): ReviewOrder {
  const died = order.progress === lastSeq ? order.deaths + 1 : 1
  return { ...order, deaths: owner === null ? order.deaths : died, progress: lastSeq }
}

/** Counts what findings have come to, inside the transaction that stores them; refused when somebody else runs the review. */
export async function countForOrder(
  transaction: Kysely<Tables>,
  held: HeldReview,
  { created, changed }: Pick<ReviewOrder, 'created' | 'changed'>,
): Promise<void> {
  const { order } = requireHeld(await read(transaction, held.reviewId), held)
  const counted = { ...order, created: order.created + created, changed: order.changed + changed }
  await put(transaction, held.reviewId, { data: JSON.stringify(counted) })
}

const readReview = (query: Kysely<Tables>, id: string): Promise<Review | null> =>
  readStored(query, { table: 'review', schema: Review }, id)

/** Stores what an ordered review has come to; it is under way until its order is over. */
export async function putHeldReview(transaction: Kysely<Tables>, review: Review): Promise<void> {
  const running = (await readReview(transaction, review.id))?.running
  await putReview(transaction, { running, ...review })
}

/** A large review is stored in several transactions, and one that runs is kept as unfinished until it is over. */
export async function putReview(transaction: Kysely<Tables>, review: Unfinished): Promise<void> {
  await transaction
    .insertInto('review')
    .values({ id: review.id, repository_id: review.repository_id, data: JSON.stringify(review) })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({ data: ref('excluded.data') })),
    )
    .execute()
}

const writing = <Value>(
  db: Database,
  { repository_id }: Pick<ReviewOrder, 'repository_id'>,
  write: (transaction: Kysely<Tables>) => Promise<Value>,
): Promise<Value> =>
  db.query.transaction().execute(async (transaction) => {
    await db.lockRepository(transaction, { repository: repository_id })
    return write(transaction)
  })

/** Writes to an order, with every other writer of its repository kept out. */
async function ofReview<Value>(
  db: Database,
  id: string,
  write: (transaction: Kysely<Tables>, stored: StoredReviewOrder | null) => Promise<Value>,
): Promise<Value> {
  const known = await db.query
    .selectFrom('review')
    .select('repository_id')
    .where('id', '=', id)
    .executeTakeFirst()
  if (!known) throw new Fault('not_found', `there is no review "${id}"`)
  return writing(db, known as Pick<ReviewOrder, 'repository_id'>, async (transaction) =>
    write(transaction, await read(transaction, id)),
  )
}

async function read(query: Kysely<Tables>, id: string): Promise<StoredReviewOrder | null> {
  const row = await query.selectFrom('review_order').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? jobOf(row) : null
}

const jobOf = ({ number, owner, last_seq, data }: TableRow<'review_order'>): StoredReviewOrder => ({
  order: parseStored(ReviewOrder, data),
  number,
  owner,
  lastSeq: last_seq,
})

/** A process that was taken for dead and comes back must not write any more. */
function requireHeld(stored: StoredReviewOrder | null, { reviewId, number }: HeldReview): StoredReviewOrder {
  if (stored?.number === number) return stored
  throw new Fault('busy', `the review ${reviewId} was ended or taken over by another process`, {
    hint: 'Nothing is to be done: whoever has it now goes on with it.',
    details: { number, now: stored?.number ?? null },
  })
}

async function append(
  transaction: Kysely<Tables>,
  { order: { review_id }, lastSeq }: StoredReviewOrder,
  event: NewReviewEvent,
): Promise<void> {
  const seq = lastSeq + 1
  await transaction
    .insertInto('review_event')
    .values({ review_id, seq, data: JSON.stringify({ ...event, seq, review_id }) })
    .execute()
  await put(transaction, review_id, { last_seq: seq })
}

async function put(
  transaction: Kysely<Tables>,
  id: string,
  set: Partial<TableRow<'review_order'>>,
): Promise<void> {
  await transaction.updateTable('review_order').set(set).where('id', '=', id).execute()
}
