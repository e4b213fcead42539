import { type Hit, matchesOf } from '../hit.ts'
import { isIssued, isPlaceholder, isRandomText } from './placeholder.ts'

interface IssuedToken {
  readonly kind: string
  readonly pattern: RegExp
  /** The group that is the secret, when it is not the whole match. */
  readonly group?: number
  readonly accepts: (value: string) => boolean
}

const hasAllCases = (value: string): boolean =>
  isRandomText(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)

/** Wider than the preset's rules on purpose: no word boundaries, since joined and decoded text has none. */
const table: readonly IssuedToken[] = [
  {
    kind: 'aws key',
    pattern: /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Z0-9])/g,
    accepts: isIssued,
  },
  { kind: 'github token', pattern: /gh[pousr]_[A-Za-z0-9]{36}/g, accepts: isIssued },
  { kind: 'github token', pattern: /github_pat_[A-Za-z0-9_]{82}/g, accepts: isIssued },
  { kind: 'gitlab token', pattern: /gl(?:pat|dt|rt|ptt)-[\w-]{20,128}/g, accepts: isIssued },
  { kind: 'google key', pattern: /AIza[\w-]{35}/g, accepts: isIssued },
  { kind: 'npm token', pattern: /npm_[A-Za-z0-9]{36}/g, accepts: isIssued },
  { kind: 'pypi token', pattern: /pypi-[\w-]{50,400}/g, accepts: isIssued },
  { kind: 'slack token', pattern: /xox[a-z]-[A-Za-z0-9-]{20,255}/g, accepts: isRandomText },
  { kind: 'stripe key', pattern: /[rs]k_live_[A-Za-z0-9]{20,99}/g, accepts: isIssued },
  { kind: 'api key', pattern: /(?<![\w-])sk-[\w-]{20,200}/g, accepts: hasAllCases },
  {
    kind: 'bearer token',
    pattern: /\b[Bb]earer\s{1,4}([\w.~+/-]{20,4096}={0,2})/g,
    group: 1,
    accepts: (value) => isRandomText(value, 3),
  },
  {
    kind: 'npm token',
    pattern: /(?:^|:)_auth(?:Token)?[ \t]{0,8}=[ \t]{0,8}"?([\w+/=.-]{8,512})"?[ \t]{0,8}\r?$/gm,
    group: 1,
    accepts: (value) => !isPlaceholder(value) && /\d/.test(value),
  },
]

/** Credentials that well-known issuers mark with a prefix, and those that a protocol marks. */
export function findIssuedTokens(text: string): readonly Hit[] {
  return table.flatMap(({ kind, pattern, group, accepts }) =>
    [...matchesOf(text, pattern, group)]
      .filter(({ value }) => accepts(value))
      .map((match) => ({ kind, ...match })),
  )
}
