/** Replaces the first occurrence of one text by another. */
export type Edit = readonly [from: string, to: string]

/** A small module with a bug of a known kind, and everything that fixers of all kinds do to it. */
export interface Program {
  /** The kind of bug. */
  readonly name: string
  /** The module, with the bug; its tests see it as `m`. */
  readonly source: string
  readonly test: {
    /** Passes with the bug and without it. */
    readonly keeps: string
    /** Fails with the bug. */
    readonly shows: string
  }
  /** Tests that the fixer never sees. */
  readonly heldBack: string
  readonly fix: Edit
  /** An edit that improves the code without making it right: the visible test still fails. */
  readonly partial: Edit
  /** Right for the visible tests only. */
  readonly overfit: Edit
  /** An edit on top of the fix that breaks code that was right. */
  readonly breaks: Edit
}

export function apply(text: string, [from, to]: Edit): string {
  if (!text.includes(from)) throw new Error(`there is no ${JSON.stringify(from)} in ${JSON.stringify(text)}`)
  return text.replace(from, () => to)
}
