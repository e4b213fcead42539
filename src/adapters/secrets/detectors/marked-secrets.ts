import { type Detector, type Hit, matchesOf } from './hit.ts'
import { isIssued, isPlaceholder, isRandomText } from './placeholder.ts'

interface MarkedSecret {
  readonly kind: string
  /** What every match holds, as the source of a pattern: a text without any of these marks is looked at no further. */
  readonly mark: string
  readonly pattern: RegExp
  /** The group that is the secret, when it is not the whole match. */
  readonly group?: number
  readonly accepts: (value: string) => boolean
}

const hasAllCases = (value: string): boolean =>
  isRandomText(value) && /[a-z]/.test(value) && /[A-Z]/.test(value)

/** A token that begins with its issuer's prefix; no word boundaries, since joined and decoded text has none. */
const issued = (kind: string, prefix: string, rest: string): MarkedSecret => ({
  kind,
  mark: prefix,
  pattern: new RegExp(`${prefix}${rest}`, 'g'),
  accepts: isIssued,
})

/** Credentials that well-known issuers mark with a prefix, and those that a protocol marks. */
const table: readonly MarkedSecret[] = [
  {
    kind: 'aws key',
    mark: '(?:AKIA|ASIA)[A-Z2-7]',
    pattern: /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Z0-9])/g,
    accepts: isIssued,
  },
  {
    kind: 'aws key',
    mark: 'A(?:3T|GPA|IDA|ROA|IPA|NPA|NVA|KIA|SIA)[A-Z0-9]{4}',
    pattern: /\b(?:A3T[A-Z0-9]|A(?:GPA|IDA|ROA|IPA|NPA|NVA|KIA|SIA))[A-Z0-9]{16}\b/g,
    accepts: isIssued,
  },
  {
    kind: 'aws key',
    mark: '[sS](?:ecret|ECRET)_?[aA](?:ccess|CCESS)_?[kK](?:ey|EY)',
    pattern: /secret_?access_?key["']?\s{0,8}(?:=>|[:=])\s{0,8}["']?([A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])/gi,
    group: 1,
    accepts: isIssued,
  },
  issued('github token', 'gh[pousr]_', '[A-Za-z0-9]{36}'),
  issued('github token', 'ghs_\\d', '\\d{0,19}_[\\w-]{1,1000}\\.[\\w-]{1,10000}\\.[\\w-]{1,1000}'),
  issued('github token', 'github_pat_', '\\w{82}'),
  issued('gitlab token', 'gl(?:pat|dt|rt|ptt)-', '[\\w-]{20,128}'),
  issued('google key', 'AIza', '[\\w-]{35}'),
  issued('npm token', 'npm_', '\\w{36}'),
  issued('pypi token', 'pypi-', '[\\w-]{50,400}'),
  {
    kind: 'slack token',
    mark: 'xox[a-z]-',
    pattern: /xox[a-z]-[A-Za-z0-9-]{20,255}/g,
    accepts: isRandomText,
  },
  issued('slack token', 'xapp-', '[A-Za-z0-9-]{20,255}'),
  issued('slack token', 'hooks\\.slack\\.com/services/', 'T\\w{1,40}/B\\w{1,40}/\\w{1,40}'),
  issued('stripe key', '[rs]k_(?:live|test)_', '[A-Za-z0-9]{20,99}'),
  { kind: 'api key', mark: 'sk-', pattern: /(?<![\w-])sk-[\w-]{20,200}/g, accepts: hasAllCases },
  issued('api key', 'sk-(?:proj|svcacct|admin|ant)-', '[\\w-]{20,400}'),
  issued('sendgrid token', 'SG\\.', '[\\w-]{16,128}\\.[\\w-]{16,128}'),
  issued('shopify token', 'shp(?:at|ca|pa|ss)_', '[A-Za-z0-9]{32,64}'),
  issued('grafana token', 'glc_', '[A-Za-z0-9+/]{32,400}={0,2}'),
  issued('grafana token', 'glsa_', '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}'),
  issued('groq token', 'gsk_', '[A-Za-z0-9]{52}'),
  issued('huggingface token', 'hf_', '[A-Za-z]{34}'),
  issued('linear token', 'lin_api_', '\\w{32,128}'),
  issued('notion token', 'ntn_', '\\d{11}[A-Za-z0-9]{35}'),
  issued('1password token', 'ops_ey', '[A-Za-z0-9+/]{100,1280}={0,2}'),
  issued('vault token', 'hv[sbr]\\.', '[\\w-]{90,300}'),
  issued('vercel token', 'vc[piark]_', '[A-Za-z0-9]{20,60}'),
  issued('databricks token', 'dapi', '[A-Fa-f0-9]{32}(?:-\\d)?'),
  issued('docker token', 'dckr_pat_', '[\\w-]{27}'),
  issued('figma token', 'figd_', '[\\w-]{40,200}'),
  issued('cloudflare token', 'cf(?:k|ut|at)_', '[A-Za-z0-9]{48}'),
  issued('tailscale token', 'tskey-', '[a-z]{2,20}-\\w{8,40}-\\w{16,60}'),
  {
    kind: 'bearer token',
    mark: '[Bb]earer\\s',
    pattern: /\b[Bb]earer\s{1,4}([\w.~+/-]{20,4096}={0,2})/g,
    group: 1,
    accepts: (value) => isRandomText(value, 3),
  },
  {
    kind: 'npm token',
    mark: '_auth',
    pattern: /(?:^|:)_auth(?:Token)?[ \t]{0,8}=[ \t]{0,8}"?([\w+/=.-]{8,512})"?[ \t]{0,8}\r?$/gm,
    group: 1,
    accepts: (value) => !isPlaceholder(value) && /\d/.test(value),
  },
  {
    kind: 'json web token',
    mark: 'eyJ',
    // Begins only where a run of its characters begins: anything else would read the same run again and again.
    pattern: /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{6,}\.[\w-]{16,}/g,
    accepts: (value) => namesAlgorithm(value) && !isTextbookToken(value),
  },
]

/** Part of everything that is a secret wherever it stands. */
export const anyMark: RegExp = new RegExp(
  [...new Set(table.map(({ mark }) => mark)), '-----BEGIN ', '://[^\\s@/]{0,400}@'].join('|'),
)

/** What is a secret wherever it stands. */
export const findMarkedSecrets: Detector = (text) =>
  anyMark.test(text) ? [...findPrivateKeys(text), ...findInTable(text), ...findUrlCredentials(text)] : []

const findInTable: Detector = (text) =>
  table.flatMap(({ kind, pattern, group, accepts }) =>
    [...matchesOf(text, pattern, group)]
      .filter(({ value }) => accepts(value))
      .map((match) => ({ kind, ...match })),
  )

const decode = (part: string): string => Buffer.from(part.slice(0, 4096), 'base64url').toString('latin1')

const namesAlgorithm = (token: string): boolean =>
  /^\{.*"alg"\s*:\s*"/s.test(decode(token.split('.', 1)[0] ?? ''))

/** The token that documentation everywhere shows. */
const isTextbookToken = (token: string): boolean =>
  /"sub"\s*:\s*"1234567890".*"John Doe"/s.test(decode(token.split('.', 2)[1] ?? ''))

// The body ends at the next five dashes, so that many beginnings without an end cost no more than their length.
const keyBlock =
  /(-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----)((?:[^-]|-(?!----)){0,16384})(-----END [A-Z0-9 ]{1,60}-----)?/g

/** Private keys in PEM armour, whole or cut off, also as one line with `\n` in it. */
function findPrivateKeys(text: string): readonly Hit[] {
  const hits: Hit[] = []
  for (const match of text.matchAll(keyBlock)) {
    const [whole, begin = '', body = '', end] = match
    const keyEnd = endOfKey(body)
    if (keyEnd === null) continue
    const value = end === undefined ? begin + body.slice(0, keyEnd) : whole
    hits.push({ kind: 'private key', start: match.index, end: match.index + value.length, value })
  }
  return hits
}

const keyLine = /[A-Za-z0-9+/]{40,}={0,2}/g

/** Where the last run of key material ends, or null for an empty or elided body (`...`). */
function endOfKey(body: string): number | null {
  let end: number | null = null
  for (const line of body.matchAll(keyLine)) end = line.index + line[0].length
  return end
}

const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s:@/"'`<>]{0,128}):([^\s@/"'`<>]{4,256})@(?=[\w.[-])/gi

/** Passwords in addresses (`scheme://user:password@host`); a template and a textbook password are none. */
function findUrlCredentials(text: string): readonly Hit[] {
  const hits: Hit[] = []
  for (const match of text.matchAll(address)) {
    const [whole, user = '', value = ''] = match
    if (isTextbookPassword(value) || value === user || /[${}*]/.test(value)) continue
    const end = match.index + whole.length - 1
    hits.push({ kind: 'url credentials', start: end - value.length, end, value })
  }
  return hits
}

const isTextbookPassword = (password: string): boolean =>
  isPlaceholder(password) ||
  /^(?:my|the|a|some)?[-_]?(?:pass(?:wor)?d?|secret|pw|token)\d{0,4}$/i.test(password)
