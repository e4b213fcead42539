import type { Issue } from '../../model/issue/issue.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import { codeWord, own, type Own } from '../own-text.ts'
import { fitSections } from './fit.ts'
import { fenceRules } from './rules.ts'
import {
  answerSection,
  commandsSection,
  conventionsSection,
  fixed,
  issueSections,
  type Convention,
} from './sections.ts'

export interface ReproducePrompt {
  readonly issue: Issue
  readonly code: string | null
  readonly conventions: readonly Convention[]
  readonly commands: readonly CheckCommand[]
}

/** Asks for a test that fails because of the problem, before anybody fixes it. */
export function reproducePrompt({ issue, code, conventions, commands }: ReproducePrompt): Own {
  return fitSections([
    fixed(role),
    fixed(rules),
    conventionsSection(conventions),
    ...issueSections(issue, code, 'judge'),
    commandsSection(commands),
    answerSection(contract(issue.code)),
  ])
}

const role = own`# You write the test that shows a problem

Another agent is going to fix the problem below, without ever seeing your test. Before that, write a test that fails now because of this problem, that any right fix makes pass, and that a fix of the one example in the finding does not: try other values than those that the finding names.`

const rules = own`## Rules

- Add new test files only, where the project's test command finds them, in the style and with the names of the tests that are there. Change nothing else: a patch with any other change is thrown away.
- Test what callers can see. Import nothing that does not exist yet: a file that cannot be loaded proves nothing.
- The test must fail as a test, by an assertion or by the error that the problem is about. Run the verification commands when you can, and read their output.
- Say "not_reproduced" rather than write a test that asks for more than the finding does: a wrong test stops a right fix.
- Do not fix the problem. Run no git commands.
${fenceRules}`

const contract = (code: string): Own => own`Answer with one JSON object as the last thing you print:
{"issues": {"${codeWord(code)}": {"outcome": "reproduced" | "not_reproduced", "explanation": "what the test shows, or why there is none"}}}`

/** The same answer as JSON Schema. */
export const reproduceSchema = (code: string): Record<string, unknown> => ({
  type: 'object',
  properties: {
    issues: {
      type: 'object',
      properties: {
        [code]: {
          type: 'object',
          properties: {
            outcome: { enum: ['reproduced', 'not_reproduced'] },
            explanation: { type: 'string' },
          },
          required: ['outcome', 'explanation'],
        },
      },
      required: [code],
    },
  },
  required: ['issues'],
})
