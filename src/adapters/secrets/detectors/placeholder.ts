const wholeWords = new Set(
  `admin changeit changeme default dev foo foobar guest hunter2 letmein mysql none null pass passwd password
  postgres private pwd qwerty redis root secret sekret test testing token undefined user username value`.split(
    /\s+/,
  ),
)

const documented =
  /example|placeholder|replace[-_]?(?:me|with)|your[-_]|dummy|redacted|x{4}|\*{3}|\.{3}|(.)\1{5}/i
const invented =
  /change[-_]?(?:me|it)|[-_]here\b|fake|mock|sample|notasecret|not[-_]a[-_]|insert[-_]|lorem|deadbeef|cafebabe|12345678|abcdefg|qwerty|foobar|test/i

/** True for what stands where a secret would: `changeme`, `xxxxx`, `<token>`, `${TOKEN}`, `$TOKEN`, `%TOKEN%`. */
export function isPlaceholder(value: string): boolean {
  return (
    wholeWords.has(value.toLowerCase()) ||
    /^[<[{(%$]|\$\{|\{\{|[>\])}]$/.test(value) ||
    documented.test(value) ||
    invented.test(value)
  )
}

/** False for what only fills the place after an issuer's prefix; words alone do not excuse such a token. */
export const isIssued = (value: string): boolean => !documented.test(value) && entropyOf(value) >= 3

/** Shannon entropy in bits per character. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>()
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1)
  let entropy = 0
  for (const count of counts.values()) entropy -= (count / value.length) * Math.log2(count / value.length)
  return entropy
}

const uuid = /^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i
const address = /:\/\/|^(?:\.{0,2}\/|[a-z]:\\|sha(?:1|256|384|512)[-:]|@[\w-]+\/)/i

/** True for text that nobody chose: long, of high entropy, digits among letters; no id, path, address or hash label. */
export function isRandomText(value: string, minDigits = 2): boolean {
  if (value.length < 20 || uuid.test(value) || address.test(value) || isPlaceholder(value)) return false
  const mixed = value.split(/[^A-Za-z0-9]+/).some(hasDigitsAmongLetters)
  // Sixteen digits cannot reach the entropy of sixty-two letters and digits.
  const minEntropy = /^[0-9a-f]{32,}$/i.test(value) ? 3 : 3.5
  return mixed && value.replaceAll(/\D/g, '').length >= minDigits && entropyOf(value) >= minEntropy
}

/**
 * Names have a number here and there (`oauth2-client-v1`); random text changes between letters and digits all the time.
 */
function hasDigitsAmongLetters(piece: string): boolean {
  if (piece.length < 8) return false
  return piece.replaceAll(/\d+|[A-Za-z]+/g, '.').length >= 4
}
