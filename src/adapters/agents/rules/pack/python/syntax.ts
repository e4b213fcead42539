import { argumentsOf, hasKind } from '../../engine/node.ts'
import type { Node, RuleQuery } from '../../engine/rule.ts'

type RuleObject = RuleQuery['rule']

/** A call of something by its full name, given as a regular expression. */
export const callOf = (names: string): RuleObject => ({
  kind: 'call',
  has: { field: 'function', regex: `^(?:${names})$` },
})

/** The two operands and the operator of a comparison that is not chained. */
export function comparisonOf(node: Node): { left: Node; operator: Node; right: Node } | null {
  const [left, operator, right, ...others] = node.children()
  return left && operator && right && others.length === 0 ? { left, operator, right } : null
}

const strings = (node: Node): Node[] =>
  hasKind(node, 'concatenated_string') ? node.namedChildren() : hasKind(node, 'string') ? [node] : []

const interpolationsOf = (node: Node): Node[] =>
  strings(node).flatMap((part) => part.namedChildren().filter((child) => hasKind(child, 'interpolation')))

export const isText = (node: Node): boolean => hasKind(node, 'string', 'concatenated_string')

/** The code of what is put into a text by an f-string, `%`, `+` or format(); empty for fixed text. */
export function insertedParts(node: Node): string[] {
  if (isText(node)) return interpolationsOf(node).map((each) => each.text().slice(1, -1).trim())
  if (hasKind(node, 'binary_operator')) return operatorParts(node)
  const callee = hasKind(node, 'call') ? node.field('function') : null
  const formatted = callee?.field('attribute')?.text() === 'format' ? callee.field('object') : null
  return formatted && isText(formatted) ? argumentsOf(node).map((each) => each.text()) : []
}

function operatorParts(node: Node): string[] {
  const left = node.field('left')
  const right = node.field('right')
  const operator = node.field('operator')?.text()
  if (!left || !right) return []
  if (operator === '%') return isText(left) ? [right.text()] : []
  if (operator !== '+') return []
  const operands = sumOperands(node)
  if (!operands.some(isText)) return []
  return operands.flatMap((each) => (isText(each) ? insertedParts(each) : [each.text()]))
}

function sumOperands(node: Node): Node[] {
  const operands: Node[] = []
  let current: Node | null = node
  while (current && hasKind(current, 'binary_operator') && current.field('operator')?.text() === '+') {
    const right: Node | null = current.field('right')
    if (right) operands.push(right)
    current = current.field('left')
  }
  return current ? [current, ...operands.toReversed()] : operands
}

export function isDocstring(statement: Node, index: number): boolean {
  return (
    index === 0 &&
    hasKind(statement, 'expression_statement') &&
    hasKind(statement.namedChildren()[0], 'string')
  )
}
