import { removeStatement, replace } from '../../engine/edits.ts'
import { isFixedText, isPure } from './syntax.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { argumentsOf, hasKind, isFunction } from '../../engine/node.ts'
import type { Node, Rule } from '../../engine/rule.ts'

/** Statements that may follow a jump: they are hoisted, types only, or a habit of switch cases. */
const harmlessAfterJump = [
  '}',
  'break_statement',
  'empty_statement',
  'function_declaration',
  'generator_function_declaration',
  'interface_declaration',
  'type_alias_declaration',
  'variable_declaration',
]

export const javascriptFlowRules: readonly Rule[] = [
  {
    id: 'js/duplicate-case',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Duplicate case in a switch',
    message: 'An earlier case of this switch has the same value, so this one is never reached.',
    why: 'The handling written here silently never runs.',
    advice: 'Give the case the value that was meant, or join it with the earlier one.',
    references: ['CWE-561'],
    effort: 1,
    query: { rule: { kind: 'switch_body' } },
    locate: (body) => {
      const seen = new Set<string>()
      return body.namedChildren().filter((entry) => {
        const value = entry.field('value')?.text()
        if (value === undefined) return false
        const isDuplicate = seen.has(value)
        seen.add(value)
        return isDuplicate
      })
    },
  },
  {
    id: 'js/duplicate-else-if',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Condition repeated in an else-if chain',
    message: 'An earlier branch of this chain has the same condition, so this branch never runs.',
    why: 'Usually a copied condition was not adapted, and its case is not handled at all.',
    advice: 'Write the condition that this branch is for, or remove the branch.',
    references: ['CWE-561'],
    effort: 1,
    query: { rule: { kind: 'if_statement', not: { inside: { kind: 'else_clause' } } } },
    locate: repeatedBranches,
  },
  {
    id: 'js/unreachable-code',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Code after a jump',
    message: 'The statement before this one always leaves the block, so this one never runs.',
    why: 'What is written here looks like it happens and does not; often a return was put on the wrong line.',
    advice: 'Remove the code, or move the jump to where it belongs.',
    references: ['CWE-561'],
    effort: 1,
    query: {
      rule: {
        any: ['return_statement', 'throw_statement', 'break_statement', 'continue_statement'].map((kind) => ({
          kind,
        })),
        inside: { kind: 'statement_block' },
      },
    },
    locate: (node) => {
      const next = node.nextAll().find((sibling) => !hasKind(sibling, 'comment', ';'))
      return next && !hasKind(next, ...harmlessAfterJump) ? [next] : []
    },
  },
  {
    id: 'js/finally-return',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Return inside finally',
    message: 'A return in finally replaces the result of the try block and swallows its exceptions.',
    why: 'Errors thrown in the try or catch block disappear without a trace.',
    advice: 'Return after the finally block, and keep only clean-up inside of it.',
    references: ['CWE-584'],
    effort: 2,
    query: { rule: { kind: 'return_statement', inside: { kind: 'finally_clause', stopBy: 'end' } } },
    accepts: (node) => {
      const nearest = node
        .ancestors()
        .find((around) => isFunction(around) || hasKind(around, 'finally_clause'))
      return hasKind(nearest, 'finally_clause')
    },
  },
  {
    id: 'js/debugger',
    languages: javascriptFamily,
    severity: 'minor',
    category: 'maintainability',
    title: 'debugger statement left in the code',
    message: 'A debugger statement stops the program as soon as developer tools are open.',
    why: 'It halts the page or process of whoever inspects it, and shows that unfinished code was shipped.',
    references: ['CWE-489'],
    effort: 1,
    query: { rule: { kind: 'debugger_statement' } },
    accepts: (node) => hasKind(node.parent(), 'program', 'statement_block', 'switch_case'),
    fix: (node, source) => [removeStatement(node, source)],
  },
  {
    id: 'js/focused-test',
    languages: javascriptFamily,
    severity: 'major',
    category: 'testing',
    title: 'Focused test left in the suite',
    message: '`.only` makes the runner skip every other test of the file.',
    why: 'The suite stays green while most of it does not run.',
    effort: 1,
    query: {
      rule: {
        kind: 'call_expression',
        has: { field: 'function', regex: '^(?:it|test|describe|suite|context)\\.only$' },
      },
    },
    accepts: (node) => {
      const [title, body] = argumentsOf(node)
      return (
        title !== undefined && body !== undefined && (isFixedText(title) || hasKind(title, 'template_string'))
      )
    },
    fix: (node) => {
      const callee = node.field('function')
      return callee && [replace(callee, callee.field('object')?.text() ?? '')]
    },
  },
]

/** The later ones of branches with the same condition, walking down one else-if chain. */
function repeatedBranches(first: Node): Node[] {
  const seen = new Set<string>()
  const repeated: Node[] = []
  let branch: Node | null = first
  while (branch) {
    const condition = branch.field('condition')
    const text = condition?.text() ?? ''
    if (condition && seen.has(text) && isPure(condition)) repeated.push(branch)
    seen.add(text)
    const alternative: Node | null = branch.field('alternative')
    branch = alternative?.namedChildren().find((child) => hasKind(child, 'if_statement')) ?? null
  }
  return repeated
}
