const secretWords = [
  'credential',
  'csrf',
  'nonce',
  'otp',
  'passphrase',
  'passwd',
  'password',
  'salt',
  'secret',
  'token',
]
const secretPairs = [
  'api key',
  'access key',
  'reset code',
  'secret key',
  'session id',
  'session key',
  'verification code',
]

/** True for names that end in what must not be guessed: `resetToken`, `api_key`, but not `tokenCount`. */
export function namesSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/s$/, ''))
  const last = words.at(-1) ?? ''
  return secretWords.includes(last) || secretPairs.includes(`${words.at(-2) ?? ''} ${last}`)
}

const issuedTokens = [
  'AKIA[0-9A-Z]{16}',
  'gh[pousr]_[A-Za-z0-9]{36}',
  'github_pat_[A-Za-z0-9_]{60,}',
  'glpat-[A-Za-z0-9_-]{20}',
  'npm_[A-Za-z0-9]{36}',
  'sk_live_[A-Za-z0-9]{20,}',
  'xox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{10,}',
  'AIza[A-Za-z0-9_-]{35}',
  'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}',
]

/** A string that begins with what well-known issuers hand out as a credential, or holds a private key. */
export const credentialText = `^[a-z]{0,2}["'\`]{1,3}(?:(?:Bearer )?(?:${issuedTokens.join('|')})|\\s*-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\s|\\\\[nr])*[A-Za-z0-9+/]{40})`

/** What a text with such a string holds. */
export const credentialHint = new RegExp(`${issuedTokens.join('|')}|PRIVATE KEY`)

/** Placeholders of documentation look like credentials and are none. */
export const isSampleCredential = (text: string): boolean =>
  /example|xxxx|0{8}|your|dummy|placeholder/i.test(text)

const statement =
  /^\W*(?:select\s.+\sfrom\s|insert\s+into\s|replace\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|drop\s+table\s|alter\s+table\s)/is

/** What a text with such a statement holds. */
export const sqlHint =
  /\b(?:select|insert\s+into|replace\s+into|update|delete\s+from|drop\s+table|alter\s+table)\s/i

/** True for text that reads as the beginning of an SQL statement. */
export const isSql = (text: string): boolean => statement.test(text)

/** Constants and what is quoted or bound on purpose are no injection. */
export const isTrustedPart = (text: string): boolean =>
  /^(?:\w+\.)*[A-Z][A-Z0-9_]*$/.test(text) ||
  /escape|quote|sanitiz|placeholder|identifier|'\?'|"\?"/i.test(text)
