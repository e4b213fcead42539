import { describe, expect, it } from 'vitest'
import { applyEdits } from './edits.ts'
import { languageOf } from './language.ts'
import { parseUserRules } from '../user-rules.ts'
import { scanPatterns, type Match, type SourceScan } from './scan.ts'

const ruleFor = (language: string): string => `
id: length-${language}
language: ${language}
rule: { pattern: $A.length < 0 }
message: A length is never negative.
fix: $A.length === 0
---
`
const python = `
id: length-python
language: python
rule: { pattern: len($A) < 0 }
fix: len($A) == 0
`
const rules = parseUserRules(
  `${['javascript', 'typescript', 'tsx'].map(ruleFor).join('')}${python}`,
  'own.yml',
)

const scan = (source: string, path = 'a.ts'): SourceScan => {
  const language = languageOf(path) ?? 'TypeScript'
  return scanPatterns(
    source,
    language,
    rules.filter(({ languages }) => languages.includes(language)),
  )
}

function matchesOf(source: string, path = 'a.ts'): readonly Match[] {
  const result = scan(source, path)
  if (result.status === 'skipped') throw new Error(result.why)
  return result.matches
}

/** Applies the fix of every match at once. */
function fixed(source: string, path = 'a.ts'): string {
  return applyEdits(
    source,
    matchesOf(source, path).flatMap((match) => match.edits ?? []),
  )
}

describe('languageOf', () => {
  it.each([
    ['src/a.js', 'JavaScript'],
    ['a.mjs', 'JavaScript'],
    ['a.cjs', 'JavaScript'],
    ['a.jsx', 'JavaScript'],
    ['a.ts', 'TypeScript'],
    ['a.d.mts', 'TypeScript'],
    ['a.cts', 'TypeScript'],
    ['A.TSX', 'Tsx'],
    ['a.py', 'Python'],
    ['a.pyi', 'Python'],
    ['a.rb', null],
    ['constructor', null],
    ['a.constructor', null],
    ['js', null],
  ])('%s is %s', (path, language) => {
    expect(languageOf(path)).toBe(language)
  })
})

describe('scanPatterns', () => {
  it('describes a match with its place, fix and suggestion', () => {
    const [match] = matchesOf('const a = []\n\n  if (a.length < 0) {}\n')
    expect({ ...match, rule: match?.rule.id, title: '', message: '' }).toEqual({
      rule: 'user/length-typescript',
      title: '',
      message: '',
      startOffset: 20,
      endOffset: 32,
      line: 3,
      endLine: 3,
      column: 7,
      text: 'a.length < 0',
      edits: [{ start: 20, end: 32, text: 'a.length === 0' }],
      suggestion: 'a.length === 0',
    })
  })

  it.each([
    ['a.py', '/*'.repeat(2_000)],
    ['a.py', `a = ${'* / + '.repeat(500)}`],
    ['a.js', '/*\n'.repeat(2_000)],
  ])('does not give the parser what would stop it (%s)', (path, source) => {
    expect(scan(source, path)).toEqual({
      status: 'skipped',
      why: expect.stringContaining('no program') as string,
    })
  })

  it('edits the right place after emoji, combining marks and wide characters', () => {
    const text = '/* 😀 é 漢字 👩‍👩‍👧 */ const s = "😀"; if (s.length < 0) {} // 😀\nif (s["😀"].length < 0) {}'
    expect(fixed(text)).toBe(text.replaceAll('.length < 0', '.length === 0'))
    expect(fixed('# 😀 é\nif len("😀") < 0: pass\n', 'a.py')).toBe('# 😀 é\nif len("😀") == 0: pass\n')
  })

  it('keeps CRLF and a byte order mark', () => {
    expect(fixed('\uFEFFif (a.length < 0) {}\r\nb()\r\n')).toBe('\uFEFFif (a.length === 0) {}\r\nb()\r\n')
  })

  it('counts columns without the byte order mark', () => {
    expect(matchesOf('\uFEFFa.length < 0')[0]).toMatchObject({ line: 1, column: 1, startOffset: 1 })
  })

  it('reads around a syntax error and says where it is', () => {
    const source = `if (a.length < 0) {}\n${'f()\n'.repeat(20)}const b = ;\n${'g()\n'.repeat(20)}if (c.length < 0) {}\n`
    expect(scan(source, 'a.js')).toMatchObject({
      status: 'partly',
      why: 'not readable in full as JavaScript: syntax error on line 22',
      matches: [{ line: 1 }, { line: 43 }],
    })
  })

  it('sees a bracket that is not closed although the parser went on', () => {
    expect(scan('def f(:\n    pass\n', 'a.py')).toMatchObject({
      status: 'partly',
      why: expect.stringContaining('line 1'),
    })
    expect(scan('if (x) {\n  if (y) { f() }\n', 'a.js')).toMatchObject({ status: 'partly' })
    expect(scan('f()\ndef g():\n', 'a.py')).toMatchObject({ status: 'partly' })
  })

  it('reports nothing inside of what could not be read', () => {
    expect(scan(`${'f()\n'.repeat(20)}a.length < 0 const ) b\n`, 'a.js')).toMatchObject({
      status: 'partly',
      matches: [],
    })
  })

  it('reads an empty file', () => {
    expect(scan('', 'a.py')).toEqual({ status: 'reviewed', matches: [] })
    expect(scan('\n', 'a.ts')).toEqual({ status: 'reviewed', matches: [] })
  })
})

describe('applyEdits', () => {
  it('applies edits in any order', () => {
    const edits = [
      { start: 4, end: 5, text: 'E' },
      { start: 0, end: 1, text: 'AA' },
      { start: 2, end: 2, text: '-' },
    ]
    expect(applyEdits('abcde', edits)).toBe('AAb-cdE')
  })

  it.each([
    [
      'overlap',
      [
        { start: 0, end: 3, text: '' },
        { start: 2, end: 4, text: '' },
      ],
    ],
    ['lie outside', [{ start: 4, end: 9, text: '' }]],
    ['run backwards', [{ start: 3, end: 1, text: '' }]],
  ])('refuses edits that %s', (_, edits) => {
    expect(() => applyEdits('abcde', edits)).toThrow(RangeError)
  })
})
