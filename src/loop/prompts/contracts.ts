import { knownCategories } from '../../model/issue/finding.ts'
import { Severity } from '../../model/issue/severity.ts'
import { codeWord, joinOwn, own, word, type Own } from '../own-text.ts'

/** The answers that are asked of agents: the words for the prompt, and the same as JSON Schema for those that can use it. */

const fixerAnswer = own`{"outcome": "fixed" | "blocked" | "deferred" | "false_positive", "files_modified": ["path"], "changes_summary": "what you changed", "explanation": "why this solves it, or why not", "self_evaluation": {"confidence": 0-100, "completeness": "full" | "partial", "risks": []}}`

const fixerOutcomes = own`- fixed: the change is made and you believe it solves the problem.
- blocked: it cannot be fixed here; say what stands in the way (a missing dependency, a decision that a person must take).
- deferred: you need more context, or something unexpected happened; it will be tried again.
- false_positive: the code is right as it is; say why.`

export const fixerContract = (code: string): Own => fixersContract([code])

/** One entry for every issue: an issue that is not reported counts as not done. */
export const fixersContract = (
  codes: readonly string[],
): Own => own`Answer with one JSON object as the last thing you print${codes.length > 1 ? own`, with an entry for every code` : own``}:
{"issues": {${joinOwn(
  codes.map((code) => own`"${codeWord(code)}": ${fixerAnswer}`),
  own`, `,
)}}}
${fixerOutcomes}`

export const challengerContract = (
  code: string,
): Own => own`Answer with one JSON object as the last thing you print:
{"issues": {"${codeWord(code)}": {"score": 0-100, "status": "SOLVED" | "IN_PROGRESS", "feedback": "what you found", "quality_scores": {"correctness": 0-100, "safety": 0-100, "minimality": 0-100, "style_consistency": 0-100}, "verdict": "merge" | "reject", "improvements_needed": ["what must change"]}}}`

export const clarifierContract = own`Answer with one JSON object as the last thing you print:
{"ready_to_fix": true | false, "questions": [{"issue_code": "the code of the problem", "question": "what you need to know", "context": "why it matters", "options": ["if there are some"], "assumption": "what you would work with if nobody answered"}]}`

export const clarifierSchema: Record<string, unknown> = {
  type: 'object',
  properties: {
    ready_to_fix: { type: 'boolean' },
    questions: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          issue_code: { type: 'string' },
          question: { type: 'string' },
          context: { type: 'string' },
          options: { type: 'array', items: { type: 'string' } },
          assumption: { type: 'string' },
        },
        required: ['issue_code', 'question'],
      },
    },
  },
  required: ['ready_to_fix', 'questions'],
}

export const plannerContract = own`Answer with one JSON object as the last thing you print:
{"issues": {"<code>": {"approach": "how, in a sentence or two", "steps": ["what to do, in order"], "files": ["path that will change"], "risks": ["what could go wrong"], "verification": "how one sees that it worked", "depends_on": ["code of a problem that must be fixed first"]}}}`

export const reviewerContract = own`Answer with one JSON object as the last thing you print:
{"groups": [{"description": "the topic", "findings": [{"id": "F001", "file": "path from the repository's root", "line": "45" or "45-67", "title": "short", "issue": "what is wrong, when, and why", "severity": "critical" | "major" | "minor" | "info", "category": "security", "fix_hint": "how it could be fixed", "suggested_fix": "code", "estimated_effort": 1-5, "estimated_files_count": 1}]}],
 "coverage": {"reviewed": ["path"], "partly": [{"file": "path", "why": "…"}], "skipped": [{"file": "path", "why": "…"}]}}
- file, line, title, issue, severity and category are needed; the rest is left out or empty where you cannot say it.
- category: ${joinOwn(
  knownCategories.map((name) => word(name)),
  own`, `,
)}, or a word of your own where none of these fits.
- A group is one topic; each of its findings can be fixed without the others. A finding that belongs to none is a group of its own.
- Nothing found: "groups" is an empty list, and "coverage" says what you read.`

export const voteContract = own`Answer with one JSON object as the last thing you print:
{"score": 0-100, "summary": "your judgement in two or three sentences", "findings": [{"file": "path from the repository's root", "line": "45" or "45-67", "title": "short", "issue": "what is wrong, when, and why", "severity": "critical" | "major" | "minor" | "info", "category": "security", "suggested_fix": "code that replaces exactly these lines"}], "coverage": {"reviewed": ["path"], "partly": [{"file": "path", "why": "…"}], "skipped": [{"file": "path", "why": "…"}]}}
- score, summary and findings are needed; findings may be empty.`

const texts = { type: 'array', items: { type: 'string' } }
const percent = { type: 'number', minimum: 0, maximum: 100 }

const byCodes = (codes: readonly string[], issue: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties: {
    issues: {
      type: 'object',
      properties: Object.fromEntries(codes.map((code) => [code, issue])),
      required: codes,
    },
  },
  required: ['issues'],
})

export const fixersSchema = (codes: readonly string[]): Record<string, unknown> =>
  byCodes(codes, {
    type: 'object',
    properties: {
      outcome: { enum: ['fixed', 'blocked', 'deferred', 'false_positive'] },
      files_modified: texts,
      changes_summary: { type: 'string' },
      explanation: { type: 'string' },
      self_evaluation: {
        type: 'object',
        properties: { confidence: percent, completeness: { type: 'string' }, risks: texts },
      },
    },
    required: ['outcome', 'files_modified', 'changes_summary', 'explanation'],
  })

export const fixerSchema = (code: string): Record<string, unknown> => fixersSchema([code])

export const challengerSchema = (code: string): Record<string, unknown> =>
  byCodes([code], {
    type: 'object',
    properties: {
      score: percent,
      status: { type: 'string' },
      feedback: { type: 'string' },
      quality_scores: {
        type: 'object',
        properties: {
          correctness: percent,
          safety: percent,
          minimality: percent,
          style_consistency: percent,
        },
        required: ['correctness', 'safety', 'minimality', 'style_consistency'],
      },
      verdict: { enum: ['merge', 'reject'] },
      improvements_needed: texts,
    },
    required: ['feedback', 'quality_scores'],
  })

const gap = {
  type: 'array',
  items: {
    type: 'object',
    properties: { file: { type: 'string' }, why: { type: 'string' } },
    required: ['file', 'why'],
  },
}
const coverage = {
  type: 'object',
  properties: { reviewed: texts, partly: gap, skipped: gap },
  required: ['reviewed', 'partly', 'skipped'],
}
const text = { type: 'string' }
const wholeNumber = { type: 'integer', minimum: 1 }

const findingSchema = (more: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties: {
    file: text,
    line: text,
    title: text,
    issue: text,
    severity: { enum: Severity.options },
    category: text,
    suggested_fix: text,
    ...more,
  },
  required: ['file', 'line', 'title', 'issue', 'severity', 'category'],
})

export const reviewerSchema: Record<string, unknown> = {
  type: 'object',
  properties: {
    groups: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          description: { type: 'string' },
          findings: {
            type: 'array',
            items: findingSchema({
              id: text,
              fix_hint: text,
              estimated_effort: { ...wholeNumber, maximum: 5 },
              estimated_files_count: wholeNumber,
            }),
          },
        },
        required: ['description', 'findings'],
      },
    },
    coverage,
  },
  required: ['groups', 'coverage'],
}

export const voteSchema: Record<string, unknown> = {
  type: 'object',
  properties: {
    score: percent,
    summary: { type: 'string' },
    findings: {
      type: 'array',
      items: findingSchema({}),
    },
    coverage,
  },
  required: ['score', 'summary', 'findings'],
}
