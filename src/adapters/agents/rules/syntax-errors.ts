import { endOf, startOf } from './node.ts'
import type { Node, RuleLanguage } from './rule.ts'

export type SourceSpan = { readonly start: number; readonly end: number; readonly line: number }

const bracketed = {
  JavaScript: ['arguments', 'array', 'class_body', 'formal_parameters', 'object', 'parenthesized_expression'],
  Python: ['argument_list', 'dictionary', 'list', 'parameters', 'parenthesized_expression', 'subscript'],
} as const

/** Places that the parser could not read, or completed with a token of its own. */
export function findSyntaxErrors(root: Node, source: string, language: RuleLanguage): SourceSpan[] {
  if (root.kind() === 'ERROR') return [spanOf(root)]
  const errors = root.findAll({ rule: { kind: 'ERROR' } }).map(spanOf)
  const unclosed = root.findAll(bracketRule(language)).filter((node) => !isClosed(node, source))
  return [...errors, ...unclosed.map(endSpanOf)]
}

/** True when so much is unreadable that no rule's silence means anything. */
export function isUnreadable(root: Node, errors: readonly SourceSpan[], source: string): boolean {
  if (root.kind() === 'ERROR') return true
  const widest = Math.max(0, ...errors.slice(0, 10_000).map(({ start, end }) => end - start))
  return widest * 2 > source.trim().length
}

function bracketRule(language: RuleLanguage) {
  const isPython = language === 'Python'
  const kinds = isPython ? [...bracketed.Python, 'block'] : [...bracketed.JavaScript, 'statement_block']
  return { rule: { any: kinds.map((kind) => ({ kind })) } }
}

function isClosed(node: Node, source: string): boolean {
  const end = endOf(node)
  if (node.kind() === 'block') return end > startOf(node)
  return /[)\]}]/.test(source.charAt(end - 1))
}

function spanOf(node: Node): SourceSpan {
  const { start, end } = node.range()
  return { start: start.index, end: end.index, line: start.line + 1 }
}

function endSpanOf(node: Node): SourceSpan {
  const { end } = node.range()
  return { start: end.index - 1, end: end.index, line: end.line + 1 }
}
