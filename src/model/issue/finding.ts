import { z } from 'zod'
import { FindingId, ReviewId } from '../id.ts'
import { Severity } from './severity.ts'

/** Who makes the claim. `tool` and `rules` can be asked again; see the origin gate. */
export const FindingSource = z.object({
  kind: z.enum(['agent', 'rules', 'tool', 'person']),
  name: z.string(),
})
export type FindingSource = z.infer<typeof FindingSource>

/** Where the cited code stands: found as cited, found elsewhere, not found, or gone. */
export const Anchor = z.enum(['exact', 'moved', 'unanchored', 'stale', 'uncommitted'])
export type Anchor = z.infer<typeof Anchor>

/** What reviewers are asked to choose a category from; any other word is taken as it is. */
export const knownCategories = [
  'security',
  'correctness',
  'reliability',
  'performance',
  'maintainability',
  'spec_gap',
  'library_standards',
  'clean_code',
  'type_hints',
  'testing',
  'data_model',
] as const

/** A category in the spelling of the known one, where it is one. */
export function parseCategory(text: string): string {
  const spelled = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  return knownCategories.find((known) => known === spelled) ?? text
}

/** A claim as its source wrote it: one place, one message. */
export const WrittenFinding = z.object({
  source: FindingSource,
  rule: z.string().nullable(),
  title: z.string(),
  description: z.string(),
  severity: Severity,
  severity_note: z.string().nullable(),
  category: z.string(),
  file: z.string().nullable(),
  line: z.number().int().positive().nullable(),
  end_line: z.number().int().positive().nullable(),
  suggested_fix: z.string().nullable(),
  references: z.array(z.string()).readonly(),
  estimated_effort: z.number().int().min(1).max(5).nullable(),
  estimated_files_count: z.number().int().min(1).nullable(),
  /** The topic that the reviewer put it under: findings of one topic may be fixed together. */
  group: z.string().nullable(),
  /** The source itself says this one is accepted or suppressed, and why. */
  suppressed: z.string().nullable(),
  /** Why the place could not be used as given, such as a path outside the repository. */
  place_note: z.string().nullable(),
  /** The column that the line is cited from, counted from 1, where the source tells it. */
  column: z.number().int().positive().optional(),
  /** How the source itself knows the problem again: its own fingerprints and ids, each behind its kind. */
  marks: z.array(z.string()).readonly().optional(),
  /** The code that the source cites; it stands for the code of the file where that is not at hand. */
  snippet: z.string().optional(),
})
export type WrittenFinding = z.infer<typeof WrittenFinding>

/** A claim with its identity: anchored in the code of one commit. */
export const Finding = WrittenFinding.extend({
  id: FindingId,
  review_id: ReviewId,
  anchor: Anchor,
  current_code: z.string().nullable(),
  fingerprint: z.string(),
})
export type Finding = z.infer<typeof Finding>

/** A finding with everything optional left out, for sources that know only a place and a message. */
export function writtenFinding(
  given: Pick<WrittenFinding, 'source' | 'title' | 'severity'> & Partial<WrittenFinding>,
): WrittenFinding {
  return {
    rule: null,
    description: given.title,
    severity_note: null,
    category: 'general',
    file: null,
    line: null,
    end_line: null,
    suggested_fix: null,
    references: [],
    estimated_effort: null,
    estimated_files_count: null,
    group: null,
    suppressed: null,
    place_note: null,
    ...given,
  }
}
