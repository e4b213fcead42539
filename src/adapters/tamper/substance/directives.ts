import { silencesChecker } from '../markers/suppressions.ts'

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
export function isDirective(comment: string, source: string, start: number): boolean {
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
