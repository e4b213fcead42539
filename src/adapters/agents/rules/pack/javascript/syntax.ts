import { hasKind, isFunction, stringValue } from '../../engine/node.ts'
import type { Node, RuleQuery } from '../../engine/rule.ts'

type RuleObject = RuleQuery['rule']

/** A binary expression with one of these operators, given as a regular expression. */
export const binary = (operators: string): RuleObject => ({
  kind: 'binary_expression',
  has: { field: 'operator', regex: `^(?:${operators})$` },
})

/** A call of a method by name, given as a regular expression. */
export const methodCall = (names: string): RuleObject => ({
  kind: 'call_expression',
  has: {
    field: 'function',
    kind: 'member_expression',
    has: { field: 'property', regex: `^(?:${names})$` },
  },
})

export const operatorOf = (node: Node): string => node.field('operator')?.text() ?? ''

export function unparenthesized(node: Node): Node {
  const [inner] = node.kind() === 'parenthesized_expression' ? node.namedChildren() : []
  return inner ? unparenthesized(inner) : node
}

/** True for text that is fixed in the source: a string, or a template without substitutions. */
export function isFixedText(node: Node): boolean {
  if (node.kind() === 'string') return true
  return node.kind() === 'template_string' && !hasSubstitution(node)
}

export function hasSubstitution(node: Node): boolean {
  return node.namedChildren().some((child) => child.kind() === 'template_substitution')
}

/** True for a string that is put together at run time: a template with substitutions, or a `+` chain with a string in it. */
export function isBuiltText(node: Node): boolean {
  if (node.kind() === 'template_string') return hasSubstitution(node)
  return node.kind() === 'binary_expression' && operatorOf(node) === '+' && concatenatesText(node)
}

function concatenatesText(node: Node): boolean {
  const parts = operandsOf(node)
  const hasText = parts.some((part) => part.kind() === 'string' || part.kind() === 'template_string')
  return hasText && !parts.every(isFixedText)
}

/** The operands of a left-leaning `+` chain, from left to right. */
export function operandsOf(node: Node): Node[] {
  const operands: Node[] = []
  let current: Node | null = node
  while (current?.kind() === 'binary_expression' && operatorOf(current) === '+') {
    const right: Node | null = current.field('right')
    if (right) operands.push(right)
    current = current.field('left')
  }
  if (current) operands.push(current)
  return operands.toReversed()
}

/** Longer chains of operators are data, not conditions somebody reads. */
const maxConditionDepth = 20

/** True where only the truth of the value matters: a condition, or a part of one. */
export function isCondition(node: Node, depth = 0): boolean {
  const parent = depth < maxConditionDepth ? node.parent() : null
  if (!parent) return false
  const isJoined = hasKind(parent, 'binary_expression') && /^(?:&&|\|\|)$/.test(operatorOf(parent))
  if (isJoined || hasKind(parent, 'parenthesized_expression')) return isCondition(parent, depth + 1)
  if (!hasKind(parent, 'if_statement', 'while_statement', 'do_statement', 'ternary_expression')) return false
  return parent.field('condition')?.id() === node.id()
}

/** The name that a call ends in: `c` of `a.b.c()`. */
export function calleeName(call: Node): string {
  const callee = call.field('function')
  return (callee?.kind() === 'member_expression' ? callee.field('property') : callee)?.text() ?? ''
}

/** True for `a?.b`, `a?.b.c()` and the like, where a missing `a` ends the whole chain. */
export function isOptionalChain(node: Node): boolean {
  let current: Node | null = node
  while (current && hasKind(current, 'member_expression', 'call_expression', 'subscript_expression')) {
    if (current.children().some((child) => child.kind() === 'optional_chain')) return true
    current = current.field('object') ?? current.field('function')
  }
  return false
}

/** The value of a `key: value` pair in an object literal. */
export function propertyValue(object: Node | undefined, key: string): Node | null {
  if (object?.kind() !== 'object') return null
  const pair = object.namedChildren().find((child) => child.kind() === 'pair' && keyOf(child) === key)
  return pair?.field('value') ?? null
}

/** The name of an object literal's entry; null where it is computed, an accessor or a spread. */
export function keyOf(entry: Node): string | null {
  if (entry.kind() === 'shorthand_property_identifier') return entry.text()
  if (entry.children().some((child) => child.kind() === 'get' || child.kind() === 'set')) return null
  const key = entry.field('key') ?? entry.field('name')
  if (key?.kind() === 'property_identifier' || key?.kind() === 'number') return key.text()
  return stringValue(key)
}

/** True when a function or block around the node declares the name: a parameter, variable, function or import. */
export function isDeclaredAround(node: Node, name: string): boolean {
  const named = { field: 'name', regex: `^${name.replaceAll('$', '\\$')}$` }
  const isName = {
    regex: named.regex,
    any: [{ kind: 'identifier' }, { kind: 'shorthand_property_identifier_pattern' }],
  }
  const bindsName = { has: { ...isName, stopBy: 'end' as const } }
  const declares = {
    any: [
      { kind: 'variable_declarator', has: named },
      { kind: 'variable_declarator', has: { field: 'name', kind: 'object_pattern', ...bindsName } },
      { kind: 'formal_parameters', ...bindsName },
      { kind: 'arrow_function', has: { field: 'parameter', regex: named.regex } },
      { kind: 'import_clause', ...bindsName },
      { kind: 'catch_clause', has: { field: 'parameter', regex: named.regex } },
    ],
  }
  const scopes = node.ancestors().filter((around) => isFunction(around) || hasKind(around, 'program'))
  return scopes.some((scope) => scope.find({ rule: declares }) !== null)
}
