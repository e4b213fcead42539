import { z } from 'zod'
import type { PatternRule, RuleLanguage, RuleQuery, RuleSeverity } from './engine/rule.ts'

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
export const writtenRule = z.strictObject({
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

export type WrittenRule = z.infer<typeof writtenRule>

export const isSwitchedOff = (written: WrittenRule): boolean => severities[written.severity] === null

/** The rule as the engine runs it; ids of users never collide with built-in ones. */
export function resolveRule(written: WrittenRule): PatternRule {
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
