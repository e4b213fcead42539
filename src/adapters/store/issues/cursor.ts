import { z } from 'zod'
import { Fault } from '../../../model/fault.ts'
import { IssueId } from '../../../model/id.ts'

const Place = z.tuple([z.number(), IssueId])

/** Where a page ended. */
export interface Cursor {
  readonly rank: number
  readonly id: IssueId
}

export const formatCursor = ({ rank, id }: Cursor): string =>
  Buffer.from(JSON.stringify([rank, id])).toString('base64url')

export function parseCursor(text: string): Cursor {
  const place = Place.safeParse(jsonOf(Buffer.from(text, 'base64url').toString()))
  if (place.success) return { rank: place.data[0], id: place.data[1] }
  throw new Fault('input_invalid', 'The cursor is not one that a list of issues gave', {
    hint: 'Leave it out to start with the first page.',
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
