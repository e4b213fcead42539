import { z } from 'zod'

const mostListed = 50

/** The next items are asked for with the cursor of the last page. */
export const pageInput = {
  limit: z.number().int().min(1).max(mostListed).default(20),
  cursor: z.string().optional().describe('next_cursor of the page before.'),
}

interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next_cursor: string | null
}

/** One page of a list that is there as a whole; its cursor says how many items come before it. */
export function pageFrom<Item>(
  all: readonly Item[],
  { limit, cursor = '0' }: { readonly limit: number; readonly cursor?: string | undefined },
): ListPage<Item> {
  const from = /^\d{1,9}$/.test(cursor) ? Number(cursor) : all.length
  const next = from + limit
  return { items: all.slice(from, next), next_cursor: next < all.length ? String(next) : null }
}
