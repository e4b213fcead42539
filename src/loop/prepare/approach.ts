import type { Issue } from '../../model/issue/issue.ts'
import { readPlannerAnswer, type PlannedApproach } from '../../model/issue/issue-plan.ts'
import { askBeforehand, type Asked, type Beforehand } from './ask-beforehand.ts'
import type { Ports } from '../ports.ts'

type Approaches = ReadonlyMap<string, PlannedApproach>

/** Lets the fixer write down how it will fix each issue. */
export const askPlanner = (request: Beforehand, ports: Ports): Promise<Asked<Approaches>> =>
  askBeforehand<Approaches>('planner', request, ports, (text) => {
    const codes = request.issues.map(({ code }) => code)
    return readPlannerAnswer(text, codes) ?? { unreadable: 'the answer holds no JSON object with "issues"' }
  })

/** The issue with its approach, and with what it has to wait for beside what a person or a reviewer said. */
export function withApproach(issue: Issue, approaches: Approaches, all: readonly Issue[]): Issue {
  const approach = approaches.get(issue.code)
  if (!approach) return issue
  const waits = all.filter(({ code }) => approach.dependsOn.includes(code)).map(({ id }) => id)
  return {
    ...issue,
    plan: approach.plan,
    depends_on: [...new Set([...issue.depends_on, ...waits])].filter((id) => id !== issue.id),
  }
}
