/** Applied in this order. One that was ever released is never edited: the next one follows it. */
export const migrationNames = ['0001-tables'] as const
