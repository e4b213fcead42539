import type { SgNode } from '@ast-grep/napi'
import { isDirective } from './directives.ts'

/** A syntax tree as text, without comments, docstrings, and semicolons that only end a statement: equal texts are equal programs. */
export function writeCode(root: SgNode, source: string): string {
  const parts: string[] = []
  const open: (SgNode | null)[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === null) {
      parts.push(')')
      continue
    }
    if (isLeftOut(node, source)) continue
    const kind = String(node.kind())
    const children = verbatim.has(kind) ? [] : node.children()
    if (children.length === 0) parts.push(`${kind} ${node.text()}`)
    else {
      parts.push(`(${kind}`)
      open.push(null, ...children.toReversed())
    }
  }
  return parts.join('\n')
}

/** The text with blanks in place of comments and docstrings. */
export function blankRemarks(root: SgNode, source: string): string {
  let text = source
  const rule = { any: [{ kind: 'comment' }, { kind: 'expression_statement' }] }
  for (const node of root.findAll({ rule })) {
    if (!isComment(node) && !isDocstring(node)) continue
    const { start, end } = node.range()
    const blank = text.slice(start.index, end.index).replaceAll(/[^\n]/g, ' ')
    text = `${text.slice(0, start.index)}${blank}${text.slice(end.index)}`
  }
  return text
}

const isComment = (node: SgNode): boolean => node.kind() === 'comment'
/** Blanks mean something in these, so their text counts as it stands. */
const verbatim = new Set(['string', 'template_string', 'regex', 'jsx_text', 'comment', 'hash_bang_line'])

function isLeftOut(node: SgNode, source: string): boolean {
  const kind = String(node.kind())
  if (isComment(node)) return !isDirective(node.text(), source, node.range().start.index)
  if (kind === ';') return node.parent()?.kind() !== 'for_statement'
  if (kind === 'empty_statement') return /^(?:program|statement_block)$/.test(String(node.parent()?.kind()))
  // A program may print its own docstring, and a test may run the examples in it.
  return isDocstring(node) && !source.includes('__doc__') && !node.text().includes('>>>')
}

const documented = /^(?:module|function_definition|class_definition)$/

/** Whether a statement is a text that stands first in a Python module, class or function. */
function isDocstring(node: SgNode): boolean {
  if (node.kind() !== 'expression_statement') return false
  const [only, ...others] = node.children()
  if (only?.kind() !== 'string' || others.length > 0) return false
  const body = node.parent()
  const owner = body?.kind() === 'block' ? body.parent() : body
  if (!owner || !documented.test(String(owner.kind()))) return false
  const first = body?.children().find((child) => !isComment(child))
  return first?.id() === node.id()
}
