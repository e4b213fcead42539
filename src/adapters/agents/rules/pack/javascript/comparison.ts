import { replace } from '../../engine/edits.ts'
import {
  binary,
  isCondition,
  isLiteralNode,
  isOptionalChain,
  isPure,
  operatorOf,
  unparenthesized,
} from './syntax.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { endOf, hasKind, isSameText, startOf, stringValue } from '../../engine/node.ts'
import type { Node, Rule } from '../../engine/rule.ts'

const equality = '[!=]==?'
const comparison = /^(?:[!=]==?|[<>]=?)$/
const typeNames = ['bigint', 'boolean', 'function', 'number', 'object', 'string', 'symbol', 'undefined']

const isNaNText = '^(?:Number\\.)?NaN$'
const freshObject = {
  any: ['array', 'object', 'regex', 'arrow_function', 'function_expression'].map((kind) => ({ kind })),
}

export const javascriptComparisonRules: readonly Rule[] = [
  {
    id: 'js/compare-nan',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Comparison with NaN',
    message: 'NaN is not equal to anything, itself included, so this comparison always has the same result.',
    why: 'The check looks like a guard against invalid numbers but never takes the branch it was written for.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/NaN'],
    effort: 1,
    query: {
      rule: {
        all: [
          binary(equality),
          {
            any: [
              { has: { field: 'left', regex: isNaNText } },
              { has: { field: 'right', regex: isNaNText } },
            ],
          },
        ],
      },
    },
    fix: (node) => {
      const [left, right] = operands(node)
      const value = /^(?:Number\.)?NaN$/.test(right.text()) ? left : right
      return [replace(node, `${operatorOf(node).startsWith('!') ? '!' : ''}Number.isNaN(${value.text()})`)]
    },
  },
  {
    id: 'js/negated-operand',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Negation binds to the left operand only',
    message: '`!` is applied to the left operand before the comparison, not to its result.',
    why: '`!key in object` asks whether "true" or "false" is a key, so the check silently never does its work.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/Operator_precedence'],
    effort: 1,
    query: {
      rule: { all: [binary('in|instanceof|[<>]=?'), { has: { field: 'left', kind: 'unary_expression' } }] },
    },
    accepts: (node) => {
      const [left] = operands(node)
      return operatorOf(left) === '!' && left.field('argument')?.kind() !== 'unary_expression'
    },
    fix: (node, source) => {
      const argument = operands(node)[0].field('argument')
      return argument && [replace(node, `!(${source.slice(startOf(argument), endOf(node))})`)]
    },
  },
  {
    id: 'js/typeof-typo',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'typeof compared with something it never returns',
    message: 'typeof returns one of eight strings; this comparison can never be true.',
    why: 'A misspelt type name turns the whole branch into dead code without any error.',
    advice: `Compare with one of ${typeNames.join(', ')}; use Array.isArray or === null for the rest.`,
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/typeof'],
    effort: 1,
    query: { rule: { all: [binary(equality), { has: { field: 'left', kind: 'unary_expression' } }] } },
    accepts: (node) => {
      const [left, right] = operands(node)
      return operatorOf(left) === 'typeof' && isNoTypeName(right)
    },
    fix: (node) => {
      const [, right] = operands(node)
      if (right.text() === 'undefined') return [replace(right, "'undefined'")]
      const value = stringValue(right)
      const meant = value === null ? null : nearestWord(value, typeNames)
      const quote = right.text().charAt(0)
      return meant === null ? null : [replace(right, `${quote}${meant}${quote}`)]
    },
  },
  {
    id: 'js/identical-operands',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'The same expression on both sides',
    message: 'Both sides of this operator are the same expression, so it decides nothing.',
    why: 'Usually one side was meant to name another variable or property, and the check is blind to it.',
    advice: 'Name the value that was meant on one of the sides, or drop the check.',
    references: ['CWE-571'],
    effort: 1,
    query: { rule: binary('[<>]=?|===?|&&|\\|\\|') },
    accepts: (node) => {
      const [left, right] = operands(node)
      // `x === x` on a plain name is a known test for NaN.
      const asksForNaN = operatorOf(node).startsWith('==') && right.kind() !== 'member_expression'
      return !asksForNaN && isSameText(left, right) && isPure(left)
    },
  },
  {
    id: 'js/loose-equality',
    languages: javascriptFamily,
    severity: 'minor',
    category: 'correctness',
    title: 'Loose equality with a literal',
    message: '`==` converts its operands before comparing them; use `===` with a literal.',
    why: 'Loose comparison makes 0, "0", "" and false equal to each other, which lets wrong values through.',
    advice: 'Use === or !==, and convert the other side first if it may hold another type.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/Equality'],
    effort: 1,
    query: { rule: binary('[!=]=') },
    accepts: (node) => operands(node).some(isComparedLiteral),
    fix: (node) => {
      const [left, right] = operands(node)
      const operator = node.field('operator')
      const sameType = (isText(left) && isText(right)) || (isCount(left) && isCount(right))
      return operator && sameType ? [replace(operator, `${operator.text()}=`)] : null
    },
  },
  {
    id: 'js/assignment-in-condition',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Assignment where a comparison was meant',
    message: 'This condition assigns a value instead of comparing with it.',
    why: 'The variable is overwritten and the branch depends only on the assigned value.',
    advice: 'Compare with ===, or put the assignment on a line of its own before the condition.',
    references: ['CWE-481'],
    effort: 1,
    query: {
      rule: {
        kind: 'assignment_expression',
        inside: {
          kind: 'parenthesized_expression',
          inside: { any: [{ kind: 'if_statement' }, { kind: 'while_statement' }, { kind: 'do_statement' }] },
        },
      },
    },
    accepts: (node) => {
      const value = node.field('right')
      const inIf = hasKind(node.parent()?.parent(), 'if_statement')
      // `if (found = list.first)` keeps a value for the branch on purpose.
      const isCompared = hasKind(value, 'identifier') || hasKind(node.field('left'), 'member_expression')
      return isConstant(value) || (inIf && isCompared && hasKind(value, 'identifier', 'member_expression'))
    },
    fix: (node) => {
      const sign = node.children().find((child) => hasKind(child, '='))
      const isCertain = isConstant(node.field('right')) || hasKind(node.field('left'), 'member_expression')
      return sign && isCertain ? [replace(sign, '===')] : null
    },
  },
  {
    id: 'js/literal-alternative',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Literal used as a condition of its own',
    message: 'The literal is not compared with anything; it is true by itself.',
    why: "`kind === 'a' || 'b'` is true for every kind, so the branch is always taken.",
    advice: 'Keep the compared value in a variable and compare it with each literal.',
    references: ['CWE-571'],
    effort: 1,
    query: {
      rule: {
        all: [
          binary('&&|\\|\\|'),
          { has: { field: 'right', any: [{ kind: 'string' }, { kind: 'number' }] } },
        ],
      },
    },
    accepts: (node) => isCondition(node) && comparedBefore(node) !== null,
    fix: (node) => {
      const compared = comparedBefore(node)
      const subject = compared && operands(compared)[0]
      if (!compared || !subject || !isPure(subject)) return null
      const literal = operands(node)[1]
      return [replace(literal, `${subject.text()} ${operatorOf(compared)} ${literal.text()}`)]
    },
  },
  {
    id: 'js/bitwise-comparison',
    languages: javascriptFamily,
    severity: 'minor',
    category: 'correctness',
    title: 'Bitwise operator between two comparisons',
    message: 'A single & or | joins these comparisons bit by bit and evaluates both sides.',
    why: 'The right side runs even when the left side was there to guard it, such as a check for null.',
    references: ['CWE-480'],
    effort: 1,
    query: { rule: { all: [binary('[&|]'), { inside: { kind: 'parenthesized_expression' } }] } },
    accepts: (node) =>
      isCondition(node) && operands(node).every((operand) => isComparison(unparenthesized(operand))),
    fix: (node) => {
      const operator = node.field('operator')
      return operator && [replace(operator, operator.text().repeat(2))]
    },
  },
  {
    id: 'js/negative-length',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Length compared with less than zero',
    message: 'A length is never negative, so this comparison always has the same result.',
    why: 'A check for "empty" or "not empty" written this way lets the empty case through.',
    effort: 1,
    query: {
      rule: {
        all: [
          binary('<|>='),
          { has: { field: 'right', regex: '^0$' } },
          {
            has: {
              field: 'left',
              kind: 'member_expression',
              has: { field: 'property', regex: '^(?:length|size)$' },
            },
          },
        ],
      },
    },
    accepts: (node) => {
      // `typeof x.length === 'number' && x.length >= 0` asks whether x is array-like.
      const around = node.parent()
      const asksForType = around?.kind() === 'binary_expression' && around.text().includes('typeof')
      return !asksForType && !isOptionalChain(operands(node)[0])
    },
    fix: (node) => {
      const operator = node.field('operator')
      return operator && [replace(operator, operator.text() === '<' ? '===' : '>')]
    },
  },
  {
    id: 'js/compare-fresh-object',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Comparison with a new object',
    message:
      'Objects, arrays, functions and regular expressions are compared by identity; a new one equals nothing.',
    why: 'The check never succeeds, so for example an empty list is never recognised as empty.',
    advice: 'Compare what identifies the value: its length, its keys or a field.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Guide/Equality_comparisons_and_sameness'],
    effort: 1,
    query: {
      rule: {
        all: [
          binary('[!=]=='),
          { any: [{ has: { field: 'left', ...freshObject } }, { has: { field: 'right', ...freshObject } }] },
        ],
      },
    },
  },
]

function operands(node: Node): readonly [Node, Node] {
  return [node.field('left') ?? node, node.field('right') ?? node]
}

const isConstant = (node: Node | null): boolean =>
  node !== null && (isLiteralNode(node) || hasKind(node, 'null'))

const isComparison = (node: Node): boolean =>
  node.kind() === 'binary_expression' && comparison.test(operatorOf(node))

function isNoTypeName(node: Node): boolean {
  if (node.text() === 'undefined') return true
  const value = stringValue(node)
  // Old browsers answered 'unknown' and 'date' for objects of the host.
  return value !== null && ![...typeNames, 'unknown', 'date'].includes(value)
}

const isComparedLiteral = (node: Node): boolean => isLiteralNode(node) || isNegativeNumber(node)

const isNegativeNumber = (node: Node): boolean =>
  node.kind() === 'unary_expression' &&
  operatorOf(node) === '-' &&
  node.field('argument')?.kind() === 'number'

/** Always a string. */
const isText = (node: Node): boolean =>
  node.kind() === 'string' || (node.kind() === 'unary_expression' && operatorOf(node) === 'typeof')

/** Always a number. */
function isCount(node: Node): boolean {
  if (node.kind() === 'number' || isNegativeNumber(node)) return true
  if (node.kind() === 'member_expression')
    return node.field('property')?.text() === 'length' && !isOptionalChain(node)
  const callee = node.kind() === 'call_expression' ? node.field('function') : null
  return /^(?:lastIndexOf|indexOf)$/.test(callee?.field('property')?.text() ?? '') && !isOptionalChain(node)
}

/** The comparison that a bare literal was meant to join: `x === 1` of `x === 1 || 2 || 3`. */
function comparedBefore(node: Node): Node | null {
  const joiner = operatorOf(node)
  const [left, literal] = operands(node)
  if (['""', "''", '0'].includes(literal.text())) return null
  let current: Node = left
  while (current.kind() === 'binary_expression' && operatorOf(current) === joiner) {
    const [inner, last] = operands(current)
    current = isLiteralNode(last) ? inner : last
  }
  const expected = joiner === '||' ? /^===?$/ : /^!==?$/
  const isMatch = current.kind() === 'binary_expression' && expected.test(operatorOf(current))
  return isMatch && isLiteralNode(operands(current)[1]) ? current : null
}

/** The one word that is at most two letters away from what was written; null when none or several are. */
export function nearestWord(written: string, words: readonly string[]): string | null {
  const distances = words.map((word) => ({ word, distance: distanceOf(written.toLowerCase(), word) }))
  const [best, next] = distances.toSorted((a, b) => a.distance - b.distance)
  if (!best || best.distance > 2 || best.distance * 2 >= best.word.length) return null
  return next?.distance === best.distance ? null : best.word
}

function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const swapped = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
