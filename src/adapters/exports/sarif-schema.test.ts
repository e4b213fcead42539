import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { sampleIssue as issue } from '../../../test/fixtures/issue.ts'
import type { CommitId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { lineFixesOf } from './line-fixes.ts'
import { documentParts, documentText } from './export-format.ts'
import { sarif, toSarif } from './sarif.ts'

const schemaFile = new URL('../../../test/fixtures/sarif-schema-2.1.0.json', import.meta.url)
const ajv = new Ajv({ strict: false, unicodeRegExp: false, allErrors: true })
addFormats.default(ajv)
const validate = ajv.compile(JSON.parse(readFileSync(schemaFile, 'utf8')) as object)
const problemsOf = (document: object): unknown =>
  validate(JSON.parse(JSON.stringify(document))) ? [] : validate.errors

const diff = `diff --git a/src/a.js b/src/a.js
--- a/src/a.js
+++ b/src/a.js
@@ -1,3 +1,4 @@
 one
-a == b
+a === b
+run()
 three
`

describe('the SARIF of an export', () => {
  it.each<readonly [string, Partial<Issue>]>([
    ['a plain one', {}],
    ['no rule', { rule: null }],
    ['no line', { line: null, end_line: null, current_code: null }],
    [
      'no place',
      {
        file: null,
        line: null,
        end_line: null,
        current_code: null,
        description: 'x\n\nPlace: "../a": outside',
      },
    ],
    ['an odd file name', { file: 'docs/ü #1% <a>"|{}^`.md' }],
    ['an odd rule', { rule: 'a b/ü\u202E' }],
    ['a page that is no address', { references: ['https://', 'http://[::1', 'CWE-79'] }],
    [
      'security with many weaknesses',
      {
        category: 'security',
        severity: 'critical',
        references: Array.from({ length: 30 }, (_, at) => `CWE-${at + 1}`),
      },
    ],
    ['ignored', { status: 'ignored', ignored: { reason: 'a toy', until: '2031-01-01' } }],
    [
      'fixed',
      {
        status: 'resolved',
        evidence: 'E2',
        fix_commit_sha: 'a'.repeat(40) as CommitId,
        fix_explanation: 'Compared strictly.',
        fix_challenger_score: 97,
      },
    ],
    ['merged', { status: 'merged', evidence: 'manual' }],
    ['hidden characters', { title: 'a\u202Eb\u0000c\uD800', description: '\u001B[31m' }],
  ])('follows the official schema: %s', (_, change) => {
    const one = issue(change)
    const fixes = new Map([[one.id, lineFixesOf(diff, () => ['one', 'a == b', 'three']) ?? []]])
    const document = toSarif([one], {
      version: '1.2.3',
      newestReview: 'rev_1',
      ...(one.fix_commit_sha && { fixes }),
    })
    expect(problemsOf(document)).toEqual([])
    const [result] = document.runs[0]?.results ?? []
    expect(result?.locations?.[0]?.physicalLocation?.region?.startLine).toBeGreaterThan(0)
    expect(
      document.runs[0]?.tool.driver.rules?.every((rule) => (rule.properties?.tags?.length ?? 0) <= 10),
    ).toBe(true)
  })

  it('is divided into runs of what a code host takes, each with its rules and a name of its own', () => {
    const many = Array.from({ length: 25_001 }, (_, at) => issue({ rule: `r${at % 7}`, line: at + 1 }))
    const document = toSarif(many, { version: '1.2.3' })
    expect(document.runs.map(({ results }) => results?.length)).toEqual([25_000, 1])
    expect(document.runs.map(({ automationDetails }) => automationDetails?.id)).toEqual([
      'fixpoint/',
      'fixpoint-2/',
    ])
    expect(document.runs[1]?.tool.driver.rules?.map(({ id }) => id)).toEqual(['r3'])
  })

  it('gives copies of one problem fingerprints of their own', () => {
    const [run] = toSarif([issue(), issue({ line: 9 })], { version: '1.2.3' }).runs
    const hashes = run?.results?.map(
      ({ partialFingerprints }) => partialFingerprints?.['primaryLocationLineHash'],
    )
    expect(hashes).toEqual(['ffffffffffffffff:1', 'ffffffffffffffff:2'])
  })

  it('says of what is fixed on a branch that it is, and of what is merged that it passes', () => {
    const given = { fix_commit_sha: 'c'.repeat(40) as CommitId, fix_branch: 'fix/it' }
    const issues = [issue({ status: 'resolved', ...given }), issue({ status: 'merged', ...given })]
    const [resolved, merged] = toSarif(issues, { version: '1' }).runs[0]?.results ?? []
    const justification = `fixed by ${'c'.repeat(40)} on fix/it, not merged yet`
    expect(resolved?.suppressions).toEqual([{ kind: 'external', status: 'underReview', justification }])
    expect(merged).toMatchObject({ kind: 'pass', level: 'none' })
  })

  it('says what is new since the newest review, and tells the fix that was made', () => {
    const one = issue({ status: 'resolved', fix_explanation: 'Compared strictly.' })
    const fixes = new Map([[one.id, lineFixesOf(diff, () => ['one', 'a == b', 'three']) ?? []]])
    const [result] = toSarif([one], { version: '1', newestReview: 'rev_1', fixes }).runs[0]?.results ?? []
    expect(result?.baselineState).toBe('new')
    expect(result?.fixes).toEqual([
      {
        description: { text: 'Compared strictly.' },
        artifactChanges: [
          {
            artifactLocation: { uri: 'src/a.js', uriBaseId: '%SRCROOT%' },
            replacements: [
              {
                deletedRegion: { startLine: 2, startColumn: 1, endLine: 3, endColumn: 1 },
                insertedContent: { text: 'a === b\nrun()\n' },
              },
            ],
          },
        ],
      },
    ])
  })
})

describe('a fix as lines to replace', () => {
  it('is told only where the code still is as the fix found it', () => {
    expect(lineFixesOf(diff, () => ['one', 'a == c', 'three'])).toBeNull()
    expect(lineFixesOf(diff, () => null)).toBeNull()
    expect(lineFixesOf('', () => [])).toBeNull()
  })

  it('is not told for renamed files and for last lines without an end', () => {
    expect(
      lineFixesOf(diff.replace('+++ b/src/a.js', '+++ b/src/b.js'), () => ['one', 'a == b', 'three']),
    ).toBeNull()
    expect(lineFixesOf(`${diff}\\ No newline at end of file\n`, () => ['one', 'a == b', 'three'])).toBeNull()
  })
})

describe('a long document', () => {
  const many = Array.from({ length: 60_000 }, (_, index) => ({
    ...issue(),
    title: `${createHash('sha512').update(`${index}`).digest('hex')} \u2028`,
    id: `iss_${index}` as Issue['id'],
  }))

  it('is told before it is written that GitHub will not take it', () => {
    const random = many.map((one, index) => ({
      ...one,
      description: ['a', 'b', 'c']
        .map((part) => createHash('sha512').update(`${part}${index}`).digest('hex'))
        .join(' '),
    }))
    expect(sarif.limitOf?.(random)).toContain('more than GitHub code scanning takes')
    expect(sarif.limitOf?.(Array.from({ length: 50_001 }, () => issue()))).toBeNull()
    expect(sarif.limitOf?.(random.slice(0, 50_000))).toBeNull()
    // Some of them stand for all.
    expect(sarif.limitOf?.(random.slice(0, 2_000), 100_000)).toContain('more than GitHub code scanning takes')
    expect(sarif.limitOf?.(random.slice(0, 2_000), 500_001)).toContain(
      '500001 issues are more than the 500000',
    )
    expect(sarif.limitOf?.(random.slice(0, 2_000), 2_000)).toBeNull()
  })

  it('is written in parts that say what the whole would say', () => {
    const document = { ...toSarif(many.slice(0, 26_000), { version: '1.0.0' }), none: undefined }
    const parts = [...documentParts(document)]
    expect(parts.length).toBeGreaterThan(50)
    expect(parts.join('')).toBe(documentText(document))
    const short = toSarif(many.slice(0, 2), { version: '1.0.0' })
    expect([...documentParts(short)]).toEqual([documentText(short)])
    expect([...documentParts('text')]).toEqual(['text'])
  })
})
