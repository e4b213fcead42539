import { builtInRules } from '../src/adapters/agents/rules/built-in-rules.ts'
import { isLinterRule, type Rule } from '../src/adapters/agents/rules/scan-sources.ts'

/** The tables of every rule that is on by default, as a page of the documentation. */
export function rulesPage(): string {
  const parts = [
    ['JavaScript and TypeScript', builtInRules.filter(({ languages }) => !languages.includes('Python'))],
    ['Python', builtInRules.filter(({ languages }) => languages.includes('Python'))],
  ] as const
  return [
    '# Rules of the built-in reviewer',
    '',
    `These ${builtInRules.length} rules are on without any setting. oxlint finds what concerns JavaScript and TypeScript, Ruff what`,
    'concerns Python; a few rules are of our own, where no linter has them, or has them without a fix. A rule with a fix is',
    'mended by the built-in agent; the others need an agent with a model, or you. This page is generated.',
    '',
    'Switch a rule off or give it another severity in `fixpoint.yaml`, leave paths out, add ast-grep rules of your own:',
    '',
    '```yaml',
    'review: { rules: { eslint/no-debugger: off, py/bare-except: minor }, exclude: ["legacy/**"], rule_files: [rules/own.yml] }',
    '```',
    '',
    'One place is left alone by `fixpoint-ignore RULE: reason` on its line or on the line above; without a reason it does not',
    'count. Comments written for ESLint, oxlint, Ruff, Bandit or Sonar are honoured too. Tests, benchmarks, examples,',
    'documentation, built and vendored code are reviewed only when you name them: `fixpoint review test/`.',
    ...parts.flatMap(([title, rules]) => ['', `## ${title}`, '', ...tableOf(rules)]),
    '',
  ].join('\n')
}

const tableOf = (rules: readonly Rule[]): readonly string[] => [
  '| rule | found by | severity | why it matters | what to do | fix |',
  '| --- | --- | --- | --- | --- | --- |',
  ...rules.map(
    (rule) =>
      `| \`${rule.id}\` | ${isLinterRule(rule) ? rule.linter : 'Fixpoint'} | ${rule.severity} | ${inCell(rule.why)} | ${inCell(rule.advice ?? 'apply the fix')} | ${hasFix(rule) ? 'yes' : ''} |`,
  ),
]

const hasFix = (rule: Rule): boolean =>
  isLinterRule(rule) ? rule.isFixSafe || rule.fixAt !== undefined : rule.fix !== undefined
const inCell = (text: string): string => text.replaceAll('|', '\\|')
