import type { CodeDifference, FileChange, LineRange } from '../../../loop/ports.ts'
import { isCode } from '../../../model/path-kind.ts'
import { silencesChecker } from '../markers/suppressions.ts'
import { parseWhole } from '../syntax/outline.ts'
import type { SgNode } from '@ast-grep/napi'

/** How the two sides of a file differ when comments and blanks are left out. */
export function compareCode({ path, status, before, after }: FileChange): CodeDifference {
  if (!isCode(path) || before === null || after === null || status !== 'modified') return 'some'
  const [old, now] = [parseWhole(before, path), parseWhole(after, path)]
  if (old && now) return writeCode(old, before) === writeCode(now, after) ? 'none' : 'some'
  const [oldLines, lines] = [codeLines(before, path), codeLines(after, path)]
  return oldLines.join('\n') === lines.join('\n') ? 'apparently_none' : 'some'
}

/** Whether these lines, counted from 1, hold nothing but comments, docstrings and blanks. */
export function isRemark(path: string, source: string, { first, last }: LineRange): boolean {
  const root = parseWhole(source, path)
  const lines = root ? blankRemarks(root, source).split('\n') : codeLines(source, path, 'keep')
  const cited = lines.slice(first - 1, last)
  return cited.length > 0 && cited.every((line) => line.trim() === '')
}

/** How a language writes comments: to the end of the line, and between two marks. */
interface CommentMarks {
  readonly line: readonly string[]
  readonly block: readonly [string, string] | null
}

const slashes: CommentMarks = { line: ['//'], block: ['/*', '*/'] }
const hashes: CommentMarks = { line: ['#'], block: null }

const languages: readonly (readonly [RegExp, CommentMarks])[] = [
  [/\.(?:php)$/i, { line: ['//', '#'], block: ['/*', '*/'] }],
  [/\.(?:sql|hs)$/i, { line: ['--'], block: ['/*', '*/'] }],
  [/\.lua$/i, { line: ['--'], block: ['--[[', ']]'] }],
  [/\.(?:rb|sh|bash|pl|pm|t|r|jl|exs?|pyi?|feature|nim)$/i, hashes],
  [/\.erl$/i, { line: ['%'], block: null }],
  [/\.clj$/i, { line: [';'], block: null }],
  [/\.vb$/i, { line: ["'"], block: null }],
  [/\.fs$/i, { line: ['//'], block: ['(*', '*)'] }],
]

const marksOf = (path: string): CommentMarks =>
  languages.find(([pattern]) => pattern.test(path))?.[1] ?? slashes

/**
 * The lines of a text that do not look like a comment or blank, for languages without a parser. A line with anything
 * else on it counts as it stands, but for blanks at its end. With `keep` each other line stays as an empty one.
 */
function codeLines(source: string, path: string, others: 'drop' | 'keep' = 'drop'): readonly string[] {
  const { line: lineMarks, block } = marksOf(path)
  const isComment = (line: string): boolean => lineMarks.some((mark) => line.startsWith(mark))
  let isInside = false
  let start = 0
  const lines = source.split('\n').map((raw) => {
    const line = raw.trim()
    const at = start
    start += raw.length + 1
    if (isInside) {
      const end = line.indexOf(block?.[1] ?? '')
      isInside = end < 0
      return end >= 0 && line.length > end + (block?.[1].length ?? 0) ? raw.trimEnd() : ''
    }
    if (isComment(line) && isDirective(line, source, at)) return raw.trimEnd()
    if (block && line.startsWith(block[0])) {
      const end = line.indexOf(block[1], block[0].length)
      isInside = end < 0
      return end >= 0 && line.length > end + block[1].length ? raw.trimEnd() : ''
    }
    return isComment(line) ? '' : raw.trimEnd()
  })
  return others === 'keep' ? lines : lines.filter((line) => line !== '')
}

/** A syntax tree as text, without comments, docstrings, and semicolons that only end a statement: equal texts are equal programs. */
function writeCode(root: SgNode, source: string): string {
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
function blankRemarks(root: SgNode, source: string): string {
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

/** What stands at the head of a file and says how it is read, built or started. */
const atHead =
  /^(?:go:build\s|\+build\s|(?:frozen_string_literal|warn_indent|shareable_constant_value|typed|cython|distutils)\s*:|<(?:reference|amd-)|@(?:ts-check|ts-nocheck|jsx\w*|jest-\w+|vitest-\w+|flow|noflow)\b)/
/** What a compiler, a bundler or a checker obeys wherever it stands. */
const anywhere = new RegExp(
  `^(?:${[
    String.raw`go:(?:embed|generate|linkname|noinline|nosplit|norace|noescape|uintptrescapes)\b|export\s+\w+$|line\s+\S+:\d+`,
    String.raw`@ts-(?:ignore|expect-error)\b|@jsx\w*\s|[#@]\s*source(?:Mapping)?URL=|[#@]__\w+__`,
    String.raw`(?:webpack|turbopack)[A-Z]\w*\s*:|@vite-ignore`,
    String.raw`type\s*:\s*[\w[("']`,
    String.raw`(?:eslint|oxlint|biome|stylelint|tslint|deno-(?:lint|fmt)|prettier|dprint)-\w+|eslint\s+[\w@/-]+\s*:`,
    String.raw`(?:jshint|jslint|globals?|exported)\s+\w+\s*(?:[:,]|$)`,
    String.raw`(?:pylint|mypy|pyright|ruff|fmt|yapf|isort|rubocop|phpcs|swiftlint)\s*:\s*\w+`,
  ].join('|')})`,
)

/** Whether a comment, which begins at an offset of its file, is a directive: a change of one changes what happens. */
function isDirective(comment: string, source: string, start: number): boolean {
  const before = source.slice(0, start)
  if (comment.startsWith('#!')) return before === ''
  if (/^#.*?\bcoding[:=]\s*[\w.-]/.test(comment)) return before.split('\n').length <= 2
  if (silencesChecker(comment)) return true
  // Types in comments count where the checker reads them.
  if (source.includes('@ts-check') && /@\w+\s*\{/.test(comment)) return true
  const lines = comment.split('\n').map((line) => line.replace(/^\s*(?:\/{2,}|\/\*+!?|\*+|#+)\s*/, ''))
  return lines.some((line) => anywhere.test(line) || (atHead.test(line) && isHead(before)))
}

const isHead = (before: string): boolean =>
  before.split('\n').every((line) => /^\s*(?:$|#|\/\/|\/?\*|["']use )/.test(line))
