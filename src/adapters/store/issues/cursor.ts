import { Fault } from '../../../model/fault.ts'
import type { IssueId } from '../../../model/id.ts'

/** Where a page ended. */
export interface Cursor {
  readonly rank: number
  readonly id: IssueId
}

export const formatCursor = ({ rank, id }: Cursor): string => encodePlace([rank, id])

export function parseCursor(text: string): Cursor {
  const place = decodePlace(text)
  const [rank, id, ...others] = Array.isArray(place) ? (place as readonly unknown[]) : []
  const isPlace = typeof rank === 'number' && typeof id === 'string' && others.length === 0
  if (isPlace && /^iss_\w+$/.test(id)) return { rank, id: id as IssueId }
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
