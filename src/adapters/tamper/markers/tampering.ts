import type { FileChange, PatchFlaw, TamperOptions } from '../../../loop/ports.ts'

export type { FileChange, TamperOptions }

export type TamperingKind =
  | 'protected_file'
  | 'test_deleted'
  | 'assertion_deleted'
  | 'assertion_loosened'
  | 'test_skipped'
  | 'threshold_lowered'
  | 'suppression_added'
  | 'type_escape_added'
  | 'snapshot_changed'
  | 'exit_on_import'
  | 'unreadable'
  | 'test_awareness'
  | 'hidden_name'
  | 'judge_touched'

/** One place where a patch weakens what would prove it wrong; the line counts in the old file for what is gone. */
export type Tampering = PatchFlaw & { readonly kind: TamperingKind }

/** A detector's finding. It does not count when another file of the patch accounts for all its `moveKeys`. */
export type Sign = Omit<Tampering, 'path'> & { readonly moveKeys?: readonly string[] }

/** What one file shows, and what other files may have moved to it (tests) or from it (markers). */
export type Inspection = { readonly signs: readonly Sign[]; readonly moveKeys: readonly string[] }

/** A text file before and after; what was not there is empty. */
export interface TextChange {
  readonly path: string
  readonly before: string
  readonly after: string
}

export const nothingSeen: Inspection = { signs: [], moveKeys: [] }

/** Repository text for a message: one line, no control characters, cropped. */
export function quote(text: string): string {
  const line = text
    .slice(0, 400)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

/** The paths that a patch brings to those that exist, and the ones that it takes away. */
export function movesOf(
  changes: readonly FileChange[],
  existing: ReadonlySet<string>,
): { readonly brought: readonly string[]; readonly gone: ReadonlySet<string> } {
  const brought = changes.filter(({ path, status }) => status !== 'deleted' && !existing.has(path))
  const gone = changes.flatMap(({ path, oldPath, status }) =>
    status === 'deleted' ? [path] : (oldPath ?? []),
  )
  return { brought: brought.map(({ path }) => path), gone: new Set(gone) }
}
