import type { IssueReport } from './report.ts'

/** What a fixer says of its own work, in a line; null when it says nothing. */
export function describeSelfEvaluation({
  confidence,
  completeness,
  risks,
}: Pick<IssueReport, 'confidence' | 'completeness' | 'risks'>): string | null {
  const parts = [
    ...(confidence === null ? [] : [`confidence ${confidence} of 100`]),
    ...(completeness === null || completeness === '' ? [] : [`completeness: ${completeness}`]),
    ...(risks.length === 0 ? [] : [`risks: ${risks.join('; ')}`]),
  ]
  return parts.length === 0 ? null : parts.join(', ')
}
