import type { Node } from './rule.ts'

export const startOf = (node: Node): number => node.range().start.index
export const endOf = (node: Node): number => node.range().end.index

export const hasKind = (node: Node | null | undefined, ...kinds: readonly string[]): boolean =>
  node !== null && node !== undefined && kinds.includes(String(node.kind()))

/** Of all languages together: their grammars share no kind with two meanings. */
const functionKinds = [
  'arrow_function',
  'function_declaration',
  'function_definition',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'lambda',
  'method_definition',
]

export const isFunction = (node: Node): boolean => hasKind(node, ...functionKinds)
export const isAsync = (node: Node): boolean => node.children().some((child) => hasKind(child, 'async'))

export const enclosingFunction = (node: Node): Node | null => node.ancestors().find(isFunction) ?? null

/** True where `await` is allowed because the function around the node is async. */
export function isInAsyncFunction(node: Node): boolean {
  const around = enclosingFunction(node)
  return around !== null && isAsync(around)
}

/** Everything between the parentheses of a call, comments left out. */
export function argumentsOf(call: Node): Node[] {
  const list = call.field('arguments')
  if (!list || !hasKind(list, 'arguments', 'argument_list')) return []
  return list.namedChildren().filter((child) => !hasKind(child, 'comment'))
}

/** The text between the quotes of a plain string; null for anything else, a prefix or an escape. */
export function stringValue(node: Node | null | undefined): string | null {
  const found = node && hasKind(node, 'string') ? /^(["'])([^\\]*)\1$/s.exec(node.text()) : null
  return found?.[2] ?? null
}
