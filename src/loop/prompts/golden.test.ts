import { describe, expect, it } from 'vitest'
import { sampleIssue } from '../../../test/fixtures/issue.ts'
import { knownCategories } from '../../model/issue/finding.ts'
import type { IssueId, TreeId } from '../../model/id.ts'
import { batchPrompt } from './batch.ts'
import {
  answeredPrompt,
  clarifierPrompt,
  continuedPrompt,
  fixerPrompt,
  plannerPrompt,
  type FixerPrompt,
} from './build.ts'
import { challengerPrompt, claimPrompt } from './challenge.ts'
import { reviewerSchema } from './contracts.ts'
import { estimateTokens, promptTokens } from './fit.ts'
import { reviewerPrompt } from './review.ts'
import type { LastRound } from './rounds.ts'
import { builtInPrompts as texts } from '../prompt-texts.ts'

const code = Array.from({ length: 60 }, (_, index) => `const line${index + 1} = ${index}`).join('\n')
const issue = sampleIssue({
  code: 'BE-007',
  title: 'The total ignores the discount',
  description: 'The discount is read but never subtracted.',
  file: 'src/total.ts',
  line: 30,
  end_line: 31,
  suggested_fix: 'return sum - discount',
  references: ['https://example.org/discounts'],
  group: 'prices',
  flagged_by: ['claude', 'eslint'],
  clarifications: [
    { id: 'BE-007-q1', question: 'Before or after tax?', context: null, answer: 'before', assumed: false },
    { id: 'BE-007-q2', question: 'Rounded?', context: null, answer: 'to cents', assumed: true },
    { id: 'BE-007-q3', question: 'Never answered?', context: null, answer: null, assumed: false },
  ],
  plan: {
    approach: 'Subtract it.',
    steps: ['find the sum', 'subtract'],
    risks: ['negative totals'],
    verification: 'npm test',
  },
})
const verification = {
  status: 'passed' as const,
  reason: '1 of 1 green',
  tree: '1'.repeat(40) as TreeId,
  commands: [
    { name: 'test', status: 'passed' as const, reason: 'exit 0', exit_code: 0, output: '', duration_ms: 1 },
  ],
  depends_on_patch: true,
}
const diff = '--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1 +1 @@\n-return sum\n+return sum - discount\n'
const given: FixerPrompt = {
  texts,
  issue,
  code,
  others: [
    issue,
    sampleIssue({ ...issue, id: 'iss_other' as IssueId, code: 'BE-008', title: 'The tax is added twice' }),
    sampleIssue({ ...issue, id: 'iss_third' as IssueId, code: 'BE-009', group: 'another' }),
  ],
  conventions: [{ path: 'AGENTS.md', text: 'Use tabs.\n```\nnot the end of the fence\n```' }],
  commands: [{ name: 'test', run: 'npm test', timeout_ms: 1, paths: [] }],
  feedback: [],
  last: null,
  notes: 'Do not touch the API.',
}
const feedback = [
  { round: 1, stage: 'verification', text: 'FIRST: Verification command "test" failed (exit code 1)' },
  { round: 2, stage: 'challenge', text: 'SECOND: scored 70: rounds too early' },
]
const last: LastRound = { round: 2, diff, left: 'all', held: diff.replace('@@ -1', '@@ -2') }
const claim = { texts, issue, code, conventions: given.conventions, notes: given.notes, threshold: 85 }
const codeAfter = code.replace('line31 = 30', 'line31 = 30 - discount')
const judged = {
  ...claim,
  codeAfter,
  diff,
  files: ['src/total.ts', 'src/tax.ts'],
  verification,
  together: [],
}
const preparation = {
  texts,
  issues: [{ issue, code }],
  conventions: given.conventions,
  notes: given.notes,
  commands: given.commands,
  unreadable: null,
}

describe('the whole prompt', () => {
  it.each([
    ['fixer', fixerPrompt(given)],
    ['re-fixer', fixerPrompt({ ...given, feedback, last })],
    ['continued', continuedPrompt({ ...given, feedback: feedback.slice(1), last })],
    ['challenger', challengerPrompt(judged)],
    ['claim', claimPrompt(claim)],
    ['clarifier', clarifierPrompt(preparation)],
    ['answered', answeredPrompt(preparation)],
    ['planner', plannerPrompt(preparation)],
    [
      'batch',
      batchPrompt({ ...given, issues: [{ issue, code }], todo: '{"execution_steps": []}', onlyFiles: null })
        .prompt,
    ],
    [
      'reviewer',
      reviewerPrompt({
        texts,
        paths: ['src'],
        conventions: given.conventions,
        experts: ['reviewer_be_quality', 'reviewer_spec'],
        spec: { name: 'specs/total', text: 'Discounts are subtracted.' },
        diff,
        unreadable: 'it holds no JSON object',
      }),
    ],
  ])('of the %s is the one that was agreed on', async (name, prompt) => {
    await expect(`${prompt}\n`).toMatchFileSnapshot(`golden/${name}.md`)
  })

  it('of a challenger names the other problems that the same change solves', () => {
    const other = sampleIssue({
      code: 'BE-008',
      title: 'TAX TWICE',
      description: 'It is added twice.',
      file: 'src/total.ts',
    })
    const prompt = challengerPrompt({ ...judged, together: [other] })
    expect(prompt).toMatch(
      /## Fixed by the same change\n[^#]*BE-008, `src\/total.ts`:\n\n```text\nTAX TWICE\n\nIt is added twice.\n```/,
    )
    expect(challengerPrompt(judged)).not.toContain('## Fixed by the same change')
  })
  it('of a challenger tells nothing of the fixer', () => {
    const told = sampleIssue({ ...issue, fix_explanation: 'STORY', fix_self_score: 77 })
    expect(challengerPrompt({ ...judged, issue: told })).not.toMatch(/STORY|77/)
  })
})

/** The names of all fields in a schema. */
const fieldsOf = (schema: unknown): readonly string[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : Object.entries(schema).flatMap(([name, inner]: [string, unknown]) => [
        ...(name === 'properties' ? Object.keys(inner as object) : []),
        ...fieldsOf(inner),
      ])

describe('what a reviewer reads', () => {
  it('names every field of its answer, the known categories, and no sub-agents', () => {
    const prompt = reviewerPrompt({
      texts,
      paths: [],
      conventions: [],
      experts: ['reviewer_be_quality'],
      spec: null,
      diff: null,
      unreadable: null,
    })
    expect(prompt).not.toMatch(/sub-?agent/i)
    for (const name of [...fieldsOf(reviewerSchema), ...knownCategories]) expect(prompt).toContain(name)
  })
})

describe('what the fixer of several issues reads', () => {
  it('speaks of sub-agents only where there is a plan for them', () => {
    const batch = { ...given, issues: [{ issue, code }], onlyFiles: null }
    expect(batchPrompt({ ...batch, todo: null }).prompt).not.toMatch(/sub-?agent/i)
    expect(batchPrompt({ ...batch, todo: '{}' }).prompt).toMatch(/sub-agent/)
  })
})

describe('what the fixer reads whose conversation goes on', () => {
  const told = (given_: Partial<FixerPrompt>) => continuedPrompt({ ...given, feedback, last, ...given_ })

  it('is the last refusal and nothing that it knows', () => {
    const prompt = told({})
    expect(prompt).toMatch(/^Your change was refused again\.[^]*SECOND/)
    expect(prompt).not.toMatch(/FIRST|Use tabs|discount|## Rules|Subtract it|npm test/)
    expect(estimateTokens(prompt)).toBeLessThan(estimateTokens(fixerPrompt(given)) / 4)
  })
  it('is the code too, where the workspace is not as it left it', () => {
    const prompt = told({ last: { ...last, left: 'some' } })
    expect(prompt).toMatch(/is not as round 2 left it[^]*@@ -2 [^]*> 30 \| const line30/)
    expect(told({ last: { ...last, left: 'none', held: null } })).toMatch(
      /it holds the code without your fix\.[^]*> 30 \| const line30/,
    )
  })
  it("is what Fixpoint and the person ask of it, outside of the refusal's fence", () => {
    const refusal = { round: 2, stage: 'scope', text: 'lib/c.mjs' }
    const prompt = told({
      feedback: [{ ...refusal, next_step: 'leave_or_explain', person: 'Not lib, please.' }],
    })
    expect(prompt).toMatch(
      /```\n\nThe person who asked says about it:\n\n> Not lib, please\.\n\nLeave these files alone, or say why/,
    )
  })
})

describe('what a challenger reads', () => {
  it('is the code before and after the change, the answers, notes and conventions, and the threshold that holds', () => {
    const prompt = challengerPrompt(judged)
    expect(prompt).toMatch(/before the change[^]*> 31 \| const line31 = 30\n[^]*after the change/)
    expect(prompt).toMatch(/after the change[^]*> 31 \| const line31 = 30 - discount\n/)
    for (const said of ['> before', '> Do not touch the API.', 'Use tabs.', '85 of 100'])
      expect(prompt).toContain(said)
    expect(prompt).not.toMatch(/before you use it|\b90\b/)
  })
  it('says that a file is gone, or the same as before', () => {
    expect(challengerPrompt({ ...judged, codeAfter: null })).toContain(
      '`src/total.ts` is not there any more.',
    )
    expect(challengerPrompt({ ...judged, codeAfter: code })).toContain(
      '`src/total.ts` is the same as before.',
    )
  })
  it('says so where the change is cut', () => {
    const long = '+a line that is added\n'.repeat(4_000)
    expect(challengerPrompt({ ...judged, diff: long })).toMatch(
      /\(Cut here: the first 59994 of 88000 characters are shown\.\)[^]*These files are changed:[^]*src\/tax\.ts/,
    )
  })
})

describe('a prompt that is too long', () => {
  const long = (name: string, tokens: number): string => `${name} `.repeat((tokens * 3) / (name.length + 1))
  const tooLong = (...parts: readonly (readonly [string, number])[]): FixerPrompt => {
    const size = new Map(parts)
    return {
      ...given,
      feedback: [
        { round: 1, stage: 'verification', text: long('OLD', size.get('old') ?? 1) },
        { round: 2, stage: 'challenge', text: 'LAST' },
      ],
      conventions: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => ({
        path: `${number}/AGENTS.md`,
        text: long('CONVENTION', size.get('conventions') ?? 1),
      })),
    }
  }

  it('gives up old rounds first, then conventions; the issue and the last refusal always stay', () => {
    const prompt = fixerPrompt(tooLong(['old', 70_000]))
    expect(estimateTokens(prompt)).toBeLessThanOrEqual(promptTokens)
    expect(prompt).toContain('Round 1 was refused at verification.')
    expect(prompt).not.toContain('OLD OLD')
    expect(prompt).toMatch(/LAST[^]*Your answer/)
    const both = fixerPrompt({ ...tooLong(['old', 70_000]), notes: long('NOTE', 55_000) })
    expect(both).toContain('Code: BE-007')
    expect(both).toContain('LAST')
  })

  it('for several issues leaves the last ones for the next batch, and names them', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      issue: sampleIssue({ code: `BE-${index}`, description: long('WORD', 4_000) }),
      code: null,
    }))
    const { prompt, notSent } = batchPrompt({ ...given, issues: many, todo: null, onlyFiles: null })
    expect(notSent.length).toBeGreaterThan(20)
    expect(notSent.at(-1)).toBe('BE-39')
    expect(prompt).toContain('Code: BE-0')
    expect(prompt).not.toContain('Code: BE-39')
  })
})
