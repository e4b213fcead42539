import { z } from 'zod'
import { Fault } from '../../../model/fault.ts'
import { IssueId } from '../../../model/id.ts'

const Place = z.tuple([z.number(), IssueId])

/** Where a page ended. */
export interface Cursor {
  readonly rank: number
  readonly id: IssueId
}

export const formatCursor = ({ rank, id }: Cursor): string => encodePlace([rank, id])

export function parseCursor(text: string): Cursor {
  const place = Place.safeParse(decodePlace(text))
  if (place.success) return { rank: place.data[0], id: place.data[1] }
  throw badCursor()
}

export const encodePlace = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url')

export function decodePlace(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}

export const badCursor = (): Fault =>
  new Fault('input_invalid', 'The cursor is not one that a list of issues gave', {
    hint: 'Leave it out to start with the first page.',
  })
