import { insertAfter, replace } from '../../engine/edits.ts'
import { hasKind, isFunction } from '../../engine/node.ts'
import type { Node, PatternRule } from '../../engine/rule.ts'
import { defaultToNone } from './default-to-none.ts'
import { comparisonOf } from './syntax.ts'

const anyKind = (...kinds: readonly string[]) => ({ any: kinds.map((kind) => ({ kind })) })

export const pythonValueRules: readonly PatternRule[] = [
  {
    id: 'py/mutable-default',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Mutable default argument',
    message: 'The default is made once, when the function is defined, and shared by all calls.',
    why: 'What one call adds to it is still there in the next one.',
    advice: 'Use None as default and make the value inside of the function.',
    references: [
      'https://docs.python.org/3/faq/programming.html#why-are-default-values-shared-between-objects',
    ],
    effort: 1,
    hint: /=\s*(?:[[{]|\w+\()/,
    query: {
      rule: {
        ...anyKind('default_parameter', 'typed_default_parameter'),
        has: {
          field: 'value',
          any: [
            ...['list', 'dictionary', 'set', 'list_comprehension', 'dictionary_comprehension'].map(
              (kind) => ({ kind }),
            ),
            { kind: 'call', regex: '^(?:list|dict|set|deque|defaultdict|OrderedDict|Counter)\\(' },
          ],
        },
        inside: { kind: 'parameters' },
      },
    },
    // A shared default is the point of a cache kept in a parameter, and harmless while nothing changes it.
    accepts: (node) => !/^_|cache|memo/i.test(node.field('name')?.text() ?? '') && isChangedInBody(node),
    fix: defaultToNone,
  },
  {
    id: 'py/negative-length',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Length compared with less than zero',
    message: 'A length is never negative, so this comparison always has the same result.',
    why: 'A check for "empty" or "not empty" written this way lets the empty case through.',
    effort: 1,
    hint: /\blen\(/,
    query: { rule: { kind: 'comparison_operator', has: { kind: 'call', regex: '^len\\(' } } },
    accepts: (node) => {
      const parts = comparisonOf(node)
      if (!parts || !hasKind(parts.left, 'call') || parts.right.text() !== '0') return false
      return ['<', '>='].includes(parts.operator.text())
    },
    fix: (node) => {
      const operator = comparisonOf(node)?.operator
      return operator ? [replace(operator, operator.text() === '<' ? '==' : '>')] : null
    },
  },
  {
    id: 'py/bare-except',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Bare except',
    message: 'A bare except also catches KeyboardInterrupt, SystemExit and task cancellation.',
    why: 'The program cannot be stopped with Ctrl-C and hides errors that nobody expected.',
    references: ['CWE-396', 'https://docs.python.org/3/howto/logging.html'],
    effort: 1,
    hint: /\bexcept\s*:/,
    query: { rule: { kind: 'except_clause' } },
    accepts: (node) =>
      hasKind(node.children()[1], ':') && node.find({ rule: { kind: 'raise_statement' } }) === null,
    fix: (node) => {
      const [keyword] = node.children()
      return keyword ? [insertAfter(keyword, ' Exception')] : null
    },
  },
  {
    id: 'py/raise-without-from',
    languages: ['Python'],
    severity: 'minor',
    category: 'maintainability',
    title: 'New exception without its cause',
    message: 'The new exception does not name the caught one as its cause.',
    why: 'The traceback reads as if a second, unrelated error had happened during handling.',
    references: ['https://docs.python.org/3/tutorial/errors.html#exception-chaining'],
    effort: 1,
    hint: /\bexcept\b/,
    query: {
      rule: {
        kind: 'raise_statement',
        has: { kind: 'call' },
        inside: { kind: 'except_clause', stopBy: 'end' },
      },
    },
    accepts: (node) => {
      const name = caughtName(node)
      const callee = node.namedChildren()[0]?.field('function')?.text() ?? ''
      const isExit = /(?:^|\.)(?:SystemExit|Exit|Abort)$/.test(callee)
      return name !== null && node.field('cause') === null && !isExit && !callee.startsWith(`${name}.`)
    },
    fix: (node) => [insertAfter(node, ` from ${caughtName(node)}`)],
  },
]

const changes = 'append|extend|insert|add|update|setdefault|pop|popitem|remove|discard|clear|sort|appendleft'

/** True where the function changes the value of the parameter itself, or hands it out to those who may. */
function isChangedInBody(parameter: Node): boolean {
  const name = parameter.field('name')?.text() ?? ''
  const body = parameter.parent()?.parent()?.field('body')?.text() ?? ''
  const isRebound = new RegExp(`(?<![\\w.])${name} = `).test(body)
  const changed = new RegExp(
    `(?<![\\w.])${name}(?:\\.(?:${changes})\\(|\\[[^\\]]*\\] *(?:[-+*/|&]|//)?=(?!=)| *(?:\\+|\\|)=)|\\bdel ${name}\\[|\\breturn ${name}[ \\t]*(?:#.*)?$`,
    'm',
  )
  return !isRebound && changed.test(body)
}

/** The name under which the except clause around a raise holds its exception. */
function caughtName(node: Node): string | null {
  const nearest = node.ancestors().find((around) => isFunction(around) || hasKind(around, 'except_clause'))
  const [caught] = nearest && hasKind(nearest, 'except_clause') ? nearest.namedChildren() : []
  const target = caught?.namedChildren().find((child) => hasKind(child, 'as_pattern_target'))
  const name = target?.text() ?? null
  return name === null || name.startsWith('_') ? null : name
}
