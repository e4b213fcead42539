const secretWords = ['credential', 'csrf', 'otp', 'passphrase', 'passwd', 'password', 'secret', 'token']
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
  const all = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/s$/, ''))
  // An id for a token is an id.
  const until = all.findIndex((word, index) => index > 0 && /^(?:for|from|of|by)$/.test(word))
  const words = until === -1 ? all : all.slice(0, until)
  const last = words.at(-1) ?? ''
  // Such a token tells answers apart, and guards nothing.
  if (/^(?:fetch|cancel|request|load|reload|refresh|abort)$/.test(words.at(-2) ?? '')) return false
  return secretWords.includes(last) || secretPairs.includes(`${words.at(-2) ?? ''} ${last}`)
}
