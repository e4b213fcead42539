/** An issue whose row cannot be read. */
export interface BrokenRow {
  readonly id: string
  readonly code: string
}

/** So many are named: one is enough to know that the database was damaged. */
export const mostRows = 5

export const brokenRow = ({ id, code }: BrokenRow): string => `issue: the row ${id} (${code}) is no JSON`
