import { z } from 'zod'
import { AgentRun } from '../agent/agent.ts'
import type { Severity } from '../issue/severity.ts'

/** A test that is in no commit: it is added to a tree for one run, and its text is kept in the note. */
export const HiddenTest = z.object({
  files: z.array(z.object({ path: z.string(), text: z.string() })).readonly(),
  command: z.string(),
  /** The tests that fail on the base because of the problem, by name. */
  tests: z.array(z.string()).readonly(),
  /** One line of how the first of them failed. */
  excerpt: z.string(),
})
export type HiddenTest = z.infer<typeof HiddenTest>

/** What came of asking another agent for a test before the fix; it counts only where it fails on the base. */
export const Reproduction = z.object({
  /** Null when no agent ran, or when its run was interrupted. */
  run: AgentRun.nullable(),
  /** Null when the problem was not reproduced. What older records have here was part of the patch, and is not run again. */
  test: z.preprocess(
    (stored) => (HiddenTest.safeParse(stored).success ? stored : null),
    HiddenTest.nullable(),
  ),
  reason: z.string(),
})
export type Reproduction = z.infer<typeof Reproduction>

export interface ReproductionRules {
  /** `auto` asks where it is worth it, `true` always. */
  readonly mode: 'auto' | boolean
  /** Nothing lands without such a test. */
  readonly isRequired: boolean
}

/** Whether another agent is to write a test of the problem before anybody fixes it. */
export const isReproductionWanted = (severity: Severity, { mode, isRequired }: ReproductionRules): boolean =>
  isRequired || mode === true || (mode === 'auto' && (severity === 'critical' || severity === 'major'))
