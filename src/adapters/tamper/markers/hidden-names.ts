import { syntaxLanguage } from '../syntax/outline.ts'
import { type Occurrence, additions, lineAt, oncePerLine, showSigns } from './occurrences.ts'
import { type Inspection, type TextChange, nothingSeen } from './tampering.ts'

const text = String.raw`(?:'[^'\n]{0,80}'|"[^"\n]{0,80}")`
/** Two pieces of plain text that are put together: the only use of that is that nobody finds the name. */
const pieces = String.raw`\s*${text}\s*\+\s*${text}`
/** Two pieces of a word: a long text may be in pieces for its length. */
const word = String.raw`(?:'[\w./:-]{1,12}'|"[\w./:-]{1,12}")`
const halves = String.raw`(?<![\w)\]'"]\s*\+\s*)(?<![\w'"])${word}\s*\+\s*${word}(?!\s*\+)`

/** A letter or digit that is written by its number, next to others that are not. */
const byNumber = String.raw`\\(?:x|u00|u\{0{0,4})(?:3\d|4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da])\}?`
const numbered = String.raw`(?<=[a-z:/])(?<!-)${byNumber}(?!-)|(?<!-)${byNumber}(?=[a-z])`
const joined = String.raw`[^()\n]{0,120}(?:\.join\(|\.concat\(|\.reverse\(|\.replace\w*\(|\batob\(|\bfromCharCode\b|\bBuffer\.from\(|\bdecodeURI)`

const javascript = new RegExp(
  [
    numbered,
    String.raw`\b(?:import|require|getBuiltinModule)\((?:${joined}|\s*\x60(?![./])[^\x60\n]{0,120}\$\{)`,
    String.raw`\[${pieces}`,
    halves,
    String.raw`\b(?:import|require|getBuiltinModule)\(${pieces}`,
    // The author of the code knows the names of what is everywhere.
    String.raw`\b(?:globalThis|global|process|Error\(\))\s*\[(?!\s*(?:${text}|Symbol\.\w+)\s*\])`,
    String.raw`\bReflect\.(?:get|set|apply)\(\s*(?:globalThis|global|process)\b`,
    String.raw`(?<![.\w])eval\(|\bnew Function\(|(?<![.\w])Function\(\s*['"\x60]`,
    String.raw`\bregisterHooks\(|\bprocess\.(?:binding|_linkedBinding|getBuiltinModule)\(`,
  ].join('|'),
  'g',
)
const python = new RegExp(
  [
    numbered,
    String.raw`\b(?:getattr|setattr|hasattr)\([^,\n]{1,120},${pieces}`,
    String.raw`\b(?:__import__|import_module)\(${pieces}`,
    String.raw`\[${pieces}\s*\]`,
    halves,
    String.raw`(?<=[(\[,=]\s*)${word} ${word}`,
    String.raw`(?<![.\w])(?:eval|exec)\(`,
    String.raw`\b(?:vars|globals|locals)\([^()\n]{0,60}(?:\([^()\n]{0,60}\))?\)\s*\[`,
  ].join('|'),
  'g',
)

/** Places where code reaches for something under a name that nobody can read, so that nobody can judge what it does there. */
export function inspectHiddenNames({ path, before, after }: TextChange): Inspection {
  const language = syntaxLanguage(path)
  if (!language) return nothingSeen
  const pattern = language === 'Python' ? python : javascript
  const found = oncePerLine(after, additions(find(before, pattern), find(after, pattern)))
  return showSigns(after, found, { kind: 'hidden_name', says: 'code hides the name of what it uses' })
}

const find = (source: string, pattern: RegExp): Occurrence[] =>
  [...source.matchAll(pattern)].map(({ index, 0: key }) => ({ index, text: lineAt(source, index), key }))
