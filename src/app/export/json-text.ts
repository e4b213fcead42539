/** What terminals obey although JSON leaves it as it is. */
const unescaped = /[\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** A value as JSON text that is exact and harmless wherever it is shown. */
export const formatJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
