import { insertBefore, newlineOf } from '../../engine/edits.ts'
import { argumentsOf, hasKind } from '../../engine/node.ts'
import type { Edit, Node, RuleQuery } from '../../engine/rule.ts'

type RuleObject = RuleQuery['rule']

/** A call of something by its full name, given as a regular expression. */
export const callOf = (names: string): RuleObject => ({
  kind: 'call',
  has: { field: 'function', regex: `^(?:${names})$` },
})

export function keywordOf(call: Node, name: string): Node | null {
  const argument = argumentsOf(call).find(
    (each) => hasKind(each, 'keyword_argument') && each.field('name')?.text() === name,
  )
  return argument?.field('value') ?? null
}

/** True when arguments are passed on with `*` or `**`, so that any of them may be given. */
export const passesOn = (call: Node): boolean =>
  argumentsOf(call).some((each) => hasKind(each, 'dictionary_splat', 'list_splat'))

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
export const isFixedString = (node: Node): boolean => isText(node) && interpolationsOf(node).length === 0

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

/** True when the function or module around the node gives the name a value. */
export function isAssignedAround(node: Node, name: string): boolean {
  const isName = { kind: 'identifier', regex: `^${name}$` }
  const declares = {
    any: [
      { kind: 'assignment', has: { field: 'left', regex: `^${name}$` } },
      { kind: 'for_statement', has: { field: 'left', regex: `^${name}$` } },
      { kind: 'parameters', has: { ...isName, stopBy: 'end' as const } },
    ],
  }
  const scopes = node.ancestors().filter((around) => hasKind(around, 'function_definition', 'module'))
  return scopes.some((scope) => scope.find({ rule: declares }) !== null)
}

/** What makes `import name` available: nothing when it is there already. */
export function importEdits(node: Node, source: string, name: string): Edit[] {
  const statements = node.getRoot().root().namedChildren()
  const isImported = statements.some((each) => each.text() === `import ${name}`)
  const first = statements.find(
    (each, index) => !hasKind(each, 'comment', 'future_import_statement') && !isDocstring(each, index),
  )
  return isImported || !first ? [] : [insertBefore(first, `import ${name}${newlineOf(source)}`)]
}

export function isDocstring(statement: Node, index: number): boolean {
  return (
    index === 0 &&
    hasKind(statement, 'expression_statement') &&
    hasKind(statement.namedChildren()[0], 'string')
  )
}
