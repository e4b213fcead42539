import type { Match } from './engine/scan.ts'
import { isLinterRule } from './scan-sources.ts'

/** Comments that silence a linter. */
const suppression = /\b(?:eslint|oxlint)-(?:disable|enable)(?=[-\s*]|$)|\bnoqa\b/gi

/** The text with its suppressions made void; everything stays at its place. */
export const withoutSuppressions = (text: string): string =>
  text.replaceAll(suppression, (found) => found.replaceAll(/[a-z]/gi, 'x'))

/** What other tools take as "leave this line alone"; the linters read theirs themselves. */
const lineSuppression = /\b(?:(?:eslint|oxlint)-disable-line|noqa|nosec|NOSONAR|nolint)\b/
const nextLineSuppression = /\b(?:eslint|oxlint)-disable-next-line\b/

/** Without the matches that a comment on their line, or alone on the line above, asks to leave out. */
export function notIgnored(matches: readonly Match[], text: string): readonly Match[] {
  if (matches.length === 0) return matches
  const lines = text.split('\n')
  return matches.filter(({ rule, line }) => {
    const [own = '', above = ''] = [lines[line - 1], lines[line - 2]]
    const isComment = /^\s*(?:\/\/|#|\/\*|\*|\{\/\*)/.test(above)
    if (isIgnoredBy(own, rule.id) || (isComment && isIgnoredBy(above, rule.id))) return false
    return isLinterRule(rule) || !(lineSuppression.test(own) || nextLineSuppression.test(above))
  })
}

/** `fixpoint-ignore RULE: reason`; without a reason it does not count. */
const isIgnoredBy = (line: string, id: string): boolean =>
  [...line.matchAll(/\bfixpoint-ignore\s+([\w./-]+)\s*:\s*\S/g)].some(([, rule]) => rule === id)
