const secretWords = new Set(
  'apikey auth credential credentials passphrase passwd password pwd secret token accesskey authtoken secretkey'.split(
    ' ',
  ),
)
const keyOwners = new Set(
  'access account api app auth client deploy encryption license master private secret service session sign signing'.split(
    ' ',
  ),
)
const stages = new Set('base dev development live local prod production stage staging test'.split(' '))

/** True for names that end in what must stay secret: `apiKey`, `DB_PASSWORD_PROD`; not `tokenCount`, `password_hash`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
  while (words.length > 1 && stages.has(words.at(-1) ?? '')) words.pop()
  const last = words.at(-1) ?? ''
  return secretWords.has(last) || (last === 'key' && keyOwners.has(words.at(-2) ?? ''))
}
