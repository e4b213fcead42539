import type { Node, RuleLanguage } from './rule.ts'

export type SourceSpan = { readonly start: number; readonly end: number; readonly line: number }

const anyOf = (...kinds: readonly string[]) => ({ rule: { any: kinds.map((kind) => ({ kind })) } })

const javascriptBrackets = anyOf(
  'arguments',
  'array',
  'class_body',
  'formal_parameters',
  'object',
  'object_pattern',
  'parenthesized_expression',
  'statement_block',
  'subscript_expression',
  'switch_body',
)
const pythonBrackets = anyOf(
  'argument_list',
  'dictionary',
  'list',
  'list_comprehension',
  'parameters',
  'parenthesized_expression',
  'set',
  'subscript',
  'tuple',
)

/** Places that the parser could not read, or completed with a token of its own. */
export function findSyntaxErrors(root: Node, source: string, language: RuleLanguage): SourceSpan[] {
  if (root.kind() === 'ERROR') return [spanOf(root)]
  const errors = root.findAll({ rule: { kind: 'ERROR' } }).map(spanOf)
  const unclosed = isBalanced(source) ? [] : findUnclosed(root, language)
  const empty = language === 'Python' ? root.findAll(anyOf('block')).filter(isZeroWidth) : []
  return [...errors, ...unclosed.map(endSpanOf), ...empty.map(endSpanOf)]
}

/** True when so much is unreadable that no rule's silence means anything. */
export function isUnreadable(root: Node, errors: readonly SourceSpan[], source: string): boolean {
  if (root.kind() === 'ERROR') return true
  const widest = errors.reduce((width, { start, end }) => Math.max(width, end - start), 0)
  return widest * 2 > source.trim().length
}

/** Looking at every bracket of the tree takes long; a missing one nearly always shows in the counts. */
function isBalanced(source: string): boolean {
  const count = (bracket: string): number => source.split(bracket).length
  return count('(') === count(')') && count('[') === count(']') && count('{') === count('}')
}

function findUnclosed(root: Node, language: RuleLanguage): Node[] {
  const found: readonly Node[] = root.findAll(language === 'Python' ? pythonBrackets : javascriptBrackets)
  return found.filter((node) => {
    const last = node.children().at(-1)
    return last !== undefined && isZeroWidth(last)
  })
}

function isZeroWidth(node: Node): boolean {
  const { start, end } = node.range()
  return start.index === end.index
}

function spanOf(node: Node): SourceSpan {
  const { start, end } = node.range()
  return { start: start.index, end: end.index, line: start.line + 1 }
}

function endSpanOf(node: Node): SourceSpan {
  const { end } = node.range()
  return { start: end.index - 1, end: end.index, line: end.line + 1 }
}
