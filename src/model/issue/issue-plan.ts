import { z } from 'zod'
import { findJsonObjects, isRecord } from '../json-text.ts'
import type { IssuePlan } from './issue.ts'

const texts = z.array(z.string()).catch([])
const Written = z.object({
  approach: z.string().min(1),
  steps: texts,
  files: texts,
  risks: texts,
  verification: z.string().nullish().catch(null),
  depends_on: texts,
})

/** What a planner says of one issue. */
export interface PlannedApproach {
  readonly plan: IssuePlan
  readonly dependsOn: readonly string[]
}

/** Reads a planner's answer; issues it says nothing usable of have no plan. Null when there is no answer at all. */
export function readPlannerAnswer(
  text: string,
  codes: readonly string[],
): ReadonlyMap<string, PlannedApproach> | null {
  const last = findJsonObjects(text).findLast((value) => isRecord(value['issues']))
  if (!last) return null
  const plans = new Map<string, PlannedApproach>()
  for (const [code, value] of Object.entries(last['issues'] as Record<string, unknown>)) {
    const written = Written.safeParse(value)
    if (!codes.includes(code) || !written.success) continue
    const { approach, steps, files, risks, verification, depends_on } = written.data
    plans.set(code, {
      plan: { approach, steps, files, risks, verification: verification ?? null },
      dependsOn: depends_on.filter((other) => other !== code && codes.includes(other)),
    })
  }
  return plans
}
