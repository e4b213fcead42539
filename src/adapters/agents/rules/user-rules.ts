import { isMap, isScalar, LineCounter, parseAllDocuments, type Document, type ParsedNode } from 'yaml'
import { Fault } from '../../../model/fault.ts'
import { parseSource } from './engine/language.ts'
import type { PatternRule, RuleLanguage, RuleQuery, RuleSeverity } from './engine/rule.ts'
import { z } from 'zod'

export type RuleProblem = { readonly line: number; readonly problem: string }

type ParsedDocument = Document.Parsed<ParsedNode, true>
type Place = { readonly document: ParsedDocument; readonly lines: LineCounter }

/** Reads a file of ast-grep rules, several documents allowed; throws one fault that names every problem in it. */
export function parseUserRules(text: string, path: string): PatternRule[] {
  const lines = new LineCounter()
  const parsed = parseAllDocuments(text, { lineCounter: lines })
  const documents = Array.isArray(parsed) ? parsed : []
  const problems: RuleProblem[] = []
  const rules: PatternRule[] = []
  for (const document of documents) {
    const result = parseRule({ document, lines })
    if ('problems' in result) problems.push(...result.problems)
    else if (rules.some((rule) => rule.id === result.rule?.id)) {
      problems.push({
        line: lineOf({ document, lines }, ['id']),
        problem: `the id ${result.rule?.id} is taken`,
      })
    } else if (result.rule) rules.push(result.rule)
  }
  if (problems.length > 0) throw invalidFile(path, problems)
  return rules
}

type Parsed = { readonly rule: PatternRule | null } | { readonly problems: readonly RuleProblem[] }

function parseRule(place: Place): Parsed {
  const { document } = place
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map(({ linePos, message }) => ({
        line: linePos?.[0].line ?? 1,
        problem: firstLine(message),
      })),
    }
  }
  if (isEmpty(document)) return { rule: null }
  if (!isMap(document.contents)) return problemAt(place, [], 'a rule is a mapping with id, language and rule')
  const value = valueOf(document)
  if (value === null) return problemAt(place, [], 'its aliases cannot be resolved')
  const read = writtenRule.safeParse(value)
  if (!read.success) {
    return {
      problems: read.error.issues.map(({ path, message }) => ({
        line: lineOf(place, path),
        problem: atKey(path, message),
      })),
    }
  }
  const problem = whyUnusable(read.data)
  if (problem) return problemAt(place, [problem.key], problem.text)
  return { rule: isSwitchedOff(read.data) ? null : resolveRule(read.data) }
}

const isEmpty = ({ contents }: ParsedDocument): boolean =>
  contents === null || (isScalar(contents) && contents.value === null)

/** Null where aliases have no anchor, or unfold into more than a rule file can mean. */
function valueOf(document: ParsedDocument): unknown {
  try {
    return document.toJS()
  } catch (error) {
    if (error instanceof ReferenceError) return null
    throw error
  }
}

/** Lets ast-grep compile the rule; what is wrong inside of it only shows then. */
function whyUnusable(written: WrittenRule): { key: string; text: string } | null {
  const rule = resolveRule(written)
  const [language] = rule.languages
  const uncaptured = uncapturedIn(written)
  if (uncaptured) return { key: 'fix', text: `fix: ${uncaptured} is not captured by the rule` }
  return language ? compileProblem(rule, language) : null
}

function compileProblem(rule: PatternRule, language: RuleLanguage): { key: string; text: string } | null {
  try {
    parseSource('', language).findAll(rule.query)
    return null
  } catch (error) {
    const reason = String(error).replaceAll(/\s*\n\s*(?:\|->)?\s*/g, ' ')
    return { key: 'rule', text: `rule: ast-grep refuses it: ${reason}` }
  }
}

function uncapturedIn({ fix, rule, constraints, utils }: WrittenRule): string | null {
  const source = JSON.stringify([rule, constraints, utils])
  const captured = new Set(source.match(/\$(?:\$\$)?[A-Z_][A-Z0-9_]*/g))
  const used = fix?.match(/\$(?:\$\$)?[A-Z_][A-Z0-9_]*/g) ?? []
  return used.find((name) => !captured.has(name)) ?? null
}

const problemAt = (place: Place, path: readonly PropertyKey[], problem: string): Parsed => ({
  problems: [{ line: lineOf(place, path), problem }],
})

/** The line of a key's value, or of the nearest thing around it that is there. */
function lineOf({ document, lines }: Place, path: readonly PropertyKey[]): number {
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true)
  const range = hasRange(node) ? node.range : null
  if (range) return lines.linePos(range[0]).line
  return path.length === 0 ? 1 : lineOf({ document, lines }, path.slice(0, -1))
}

const hasRange = (node: unknown): node is ParsedNode =>
  typeof node === 'object' && node !== null && 'range' in node

const firstLine = (text: string): string => text.split('\n')[0] ?? ''
const atKey = (path: readonly PropertyKey[], message: string): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`

function invalidFile(path: string, problems: readonly RuleProblem[]): Fault {
  const listed = problems.map(({ line, problem }) => `${path}:${line}: ${problem}`)
  return new Fault('config_invalid', `the rule file ${path} cannot be used\n${listed.join('\n')}`, {
    hint: 'Each document needs id, language (javascript, typescript, tsx or python) and rule, as ast-grep has them.',
    details: { file: path, problems },
  })
}

const languages: Readonly<Record<string, RuleLanguage>> = {
  javascript: 'JavaScript',
  js: 'JavaScript',
  jsx: 'JavaScript',
  typescript: 'TypeScript',
  ts: 'TypeScript',
  tsx: 'Tsx',
  python: 'Python',
  py: 'Python',
}

const severities = { error: 'major', warning: 'minor', info: 'info', hint: 'info', off: null } as const

const ruleObject = z.custom<RuleQuery['rule']>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be a mapping such as { pattern: … }',
)

/** These change what a rule means, so they are refused rather than overlooked. */
const unsupported = z.undefined({ error: 'is not supported here; write the rule without it' }).optional()

/** A rule as ast-grep's own files have it. */
const writtenRule = z.strictObject({
  id: z.string().regex(/^[\w./-]+$/, 'may hold letters, digits, and . _ / - only'),
  language: z
    .string()
    .refine(
      (name) => Object.hasOwn(languages, name.toLowerCase()),
      'must be javascript, typescript, tsx or python',
    ),
  rule: ruleObject,
  constraints: z.record(z.string(), ruleObject).optional(),
  utils: z.record(z.string(), ruleObject).optional(),
  message: z.string().min(1).optional(),
  note: z.string().min(1).nullish(),
  severity: z.enum(['error', 'warning', 'info', 'hint', 'off']).default('hint'),
  fix: z.string({ error: 'must be one text with $META variables' }).optional(),
  url: z.url().optional(),
  metadata: z.unknown().optional(),
  labels: z.unknown().optional(),
  transform: unsupported,
  rewriters: unsupported,
  files: unsupported,
  ignores: unsupported,
})

type WrittenRule = z.infer<typeof writtenRule>

const isSwitchedOff = (written: WrittenRule): boolean => severities[written.severity] === null

/** The rule as the engine runs it; ids of users never collide with built-in ones. */
function resolveRule(written: WrittenRule): PatternRule {
  const message = written.message?.trim() ?? written.id
  const { rule, constraints, utils, fix, url } = written
  const severity: RuleSeverity = severities[written.severity] ?? 'info'
  const language = languages[written.language.toLowerCase()]
  return {
    id: `user/${written.id}`,
    languages: language ? [language] : [],
    severity,
    category: 'custom',
    title: message.split('\n')[0]?.slice(0, 120) ?? message,
    message,
    why: written.note?.trim() ?? 'A rule of this project asks for it.',
    effort: fix === undefined ? 2 : 1,
    ...(url === undefined ? {} : { references: [url] }),
    query: { rule, ...(constraints ? { constraints } : {}), ...(utils ? { utils } : {}) },
    ...(fix === undefined ? {} : { fix }),
  }
}
