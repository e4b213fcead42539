import type { ReportFormat } from '../../model/config/written.ts'

/** What the beginning of a file tells of its format. */
export type Detected =
  | { readonly format: ReportFormat }
  /** JSON that only its further content, or a mapping, can tell. */
  | { readonly unknown: 'object' | 'list' }
  | { readonly refused: string; readonly hint: string }

export const knownFormats = 'SARIF 2.1.0, rdjson, rdjsonl, ESLint JSON, JUnit XML and fixpoint.findings.v1'
const readHint = `Fixpoint reads ${knownFormats}; other JSON needs a mapping (--map).`

/** Which names at the top of an object belong to which format; the first that is there decides. */
const marks: readonly (readonly [ReportFormat, readonly string[]])[] = [
  ['sarif', ['runs', 'version', '$schema', 'inlineExternalProperties']],
  ['fixpoint', ['schema', 'findings', 'groups', 'coverage']],
  ['rdjson', ['diagnostics']],
]

/** Tells the format by the first bytes of a file; `isWhole` when there are no more. */
export function detectFormat(beginning: Buffer, isWhole: boolean): Detected {
  const text = beginning
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  const first = text.charCodeAt(0)
  if (text === '' && !isWhole) return { unknown: 'object' }
  if (text === '') return { refused: 'is empty', hint: 'Check that the tool has written its report.' }
  if (first === 0 || beginning[0] === 0xff || beginning[0] === 0xfe)
    return { refused: 'is not UTF-8 text', hint: 'Save it as UTF-8, not as UTF-16.' }
  if (first === 0x1f) return { refused: 'is compressed', hint: 'Unpack it first, such as with gunzip.' }
  if (text.startsWith('<')) return { format: 'junit' }
  const keys = firstKeys(text)
  if (text.startsWith('[')) return keys.includes('filePath') ? { format: 'eslint' } : { unknown: 'list' }
  if (!text.startsWith('{')) return { refused: 'is no report: it is neither JSON nor XML', hint: readHint }
  const named = marks.find(([, names]) => names.some((name) => keys.includes(name)))
  if (named) return { format: named[0] }
  return keys.includes('message') && keys.includes('location') ? { format: 'rdjsonl' } : { unknown: 'object' }
}

/** The names in the first object of a JSON text, as far as the text goes. */
function firstKeys(text: string): readonly string[] {
  const keys: string[] = []
  const start = text.indexOf('{')
  let depth = 0
  let isName = false
  for (const match of text.slice(Math.max(0, start)).matchAll(/"((?:[^"\\]|\\.)*)"|[{}[\],]/gs)) {
    const [token, name] = match
    if (name !== undefined) {
      if (depth === 1 && isName) keys.push(name)
      isName = false
    } else if (token === ',') isName = depth === 1
    else {
      depth += token === '{' || token === '[' ? 1 : -1
      isName = token === '{' && depth === 1
      if (depth === 0) break
    }
  }
  return keys
}
