/** What terminals obey although JSON leaves it as it is. */
const unescaped = /[\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** Nobody reads more than this line by line. */
const longestIndented = 2_000_000

/** A value as JSON text that is exact and harmless wherever it is shown; indented where a person may read it. */
export function formatJson(value: unknown): string {
  const compact = JSON.stringify(value)
  const text = compact.length > longestIndented ? compact : JSON.stringify(value, null, 2)
  return text.replaceAll(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export const documentText = (document: object | string): string =>
  typeof document === 'string' ? document : `${formatJson(document)}\n`
