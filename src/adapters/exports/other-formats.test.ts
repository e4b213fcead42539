import { describe, expect, it } from 'vitest'
import { sampleIssue } from '../../../test/fixtures/issue.ts'
import type { IssueId } from '../../model/id.ts'
import { readReport } from '../findings/read-report.ts'
import { formatJson } from './export-format.ts'
import { toGithub, toStepSummary } from './github.ts'
import { toJunit } from './junit.ts'
import { toRdjson } from './rdjson.ts'

async function readBack(text: string) {
  async function* bytes() {
    yield new TextEncoder().encode(text)
  }
  return readReport(bytes(), { root: '/repository', sourceName: 'export' })
}

const hostile = sampleIssue({
  title: 'Bad <b> & "x"\u0007',
  description: 'Line one\n::error::forged\r\n]]> \u202E',
  rule: 'a,b:c%',
  file: 'src/ü, x:y.js',
})

describe('annotations for GitHub', () => {
  it('are one line for each issue, whatever its text holds', () => {
    expect(toGithub([sampleIssue({ severity: 'critical' })])).toBe(
      '::error file=src/a.js,line=2,endLine=3,title=BE-001 js/equal::Loose comparison\n',
    )
    expect(toGithub([sampleIssue({ severity: 'info', file: null, line: null, rule: null })])).toBe(
      '::notice title=BE-001::Loose comparison\n',
    )
    const lines = toGithub([hostile]).trimEnd().split('\n')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(
      '::warning file=src/ü%2C x%3Ay.js,line=2,endLine=3,title=BE-001 a%2Cb%3Ac%25::',
    )
    expect(lines[0]).toContain('%0A::error::forged%0D%0A')
  })

  it('are as many of a kind as GitHub shows, the most severe first, and the rest is counted by rule', () => {
    const many = Array.from({ length: 30 }, (_, at) =>
      sampleIssue({ severity: at === 29 ? 'critical' : 'major', rule: at < 12 ? 'a/b' : '::error::x\n' }),
    )
    const lines = toGithub([...many, sampleIssue({ severity: 'info' })])
      .trimEnd()
      .split('\n')
    expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(10)
    expect(lines.filter((line) => line.startsWith('::notice '))).toHaveLength(1)
    expect(lines[0]).toContain('title=BE-001 %3A%3Aerror')
    expect(lines.at(-1)).toBe(
      'Fixpoint: 20 more without an annotation: 17 of ??error??x?, 3 of a/b. --summary has them.',
    )
  })

  it('have a summary that GitHub takes, with the most severe in full', () => {
    const many = Array.from({ length: 6_000 }, (_, at) =>
      sampleIssue({
        code: `BE-${at}`,
        severity: at === 5_999 ? 'critical' : 'info',
        description: 'x'.repeat(400),
      }),
    )
    const text = toStepSummary(many)
    expect(Buffer.byteLength(text)).toBeLessThan(1_048_576)
    expect(text).toContain('### BE-5999: Loose comparison')
    expect(text).toContain('5899 more of them; `fixpoint issues list` has them all.')
    expect(text).toContain('5900 more issues are not shown in full; `fixpoint issues list` has them all.')
    expect(toStepSummary([])).toBe('# Fixpoint\n\nThere are none.\n')
  })
})

describe('an export to JUnit', () => {
  it('fails what is unresolved, skips what is ignored, passes what is fixed', () => {
    const issues = [
      sampleIssue(),
      sampleIssue({ code: 'BE-002', status: 'ignored', ignored: { reason: 'a toy', until: null } }),
      sampleIssue({ code: 'BE-003', status: 'resolved', file: null, line: null, rule: null }),
    ]
    expect(toJunit(issues)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="fixpoint" tests="3" failures="1" errors="0" skipped="1">
  <testsuite name="src/a.js" tests="2" failures="1" errors="0" skipped="1">
    <testcase name="BE-001 Loose comparison" classname="js/equal" file="src/a.js" line="2">
      <failure message="Loose comparison" type="minor">Loose comparison</failure>
    </testcase>
    <testcase name="BE-002 Loose comparison" classname="js/equal" file="src/a.js" line="2">
      <skipped message="a toy"/>
    </testcase>
  </testsuite>
  <testsuite name="no file" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="BE-003 Loose comparison" classname="correctness"/>
  </testsuite>
</testsuites>
`)
  })

  it('is XML that can be read, whatever the text holds', async () => {
    const { findings } = await readBack(toJunit([hostile, sampleIssue({ title: 'a\u0000b\uD800' })]))
    expect(findings).toMatchObject([
      { file: 'src/ü, x:y.js', line: 2, category: 'testing' },
      { file: 'src/a.js', line: 2 },
    ])
  })
})

describe('an export to rdjson', () => {
  it('suggests what would be changed: lines by lines, lines that come, lines that go', () => {
    const issues = [sampleIssue(), sampleIssue({ id: 'iss_2' as IssueId })]
    const lines = [
      { startLine: 2, endLine: 4, text: 'a === b\n' },
      { startLine: 6, endLine: 6, text: 'new()\n' },
      { startLine: 8, endLine: 9, text: '' },
    ]
    const fixes = new Map([
      [issues[0]?.id as IssueId, [{ file: 'src/a.js', replacements: lines }]],
      ['iss_2' as IssueId, [{ file: 'src/other.js', replacements: lines }]],
    ])
    const [first, second] = toRdjson(issues, fixes).diagnostics
    expect(first?.suggestions).toEqual([
      { range: { start: { line: 2 }, end: { line: 3 } }, text: 'a === b' },
      { range: { start: { line: 6, column: 1 }, end: { line: 6, column: 1 } }, text: 'new()\n' },
      { range: { start: { line: 8, column: 1 }, end: { line: 9, column: 1 } }, text: '' },
    ])
    expect(second?.suggestions).toBeUndefined()
  })

  it('is read back with places, rules, titles and sources', async () => {
    const issues = [
      sampleIssue({ severity: 'major', references: ['https://example.com/equal'] }),
      sampleIssue({
        line: null,
        end_line: null,
        rule: null,
        flagged_by: ['claude'],
        description: 'It is so. And so.',
      }),
      sampleIssue({ file: null, line: null }),
    ]
    const { findings, format } = await readBack(formatJson(toRdjson(issues)))
    expect(format).toBe('rdjson')
    expect(findings).toMatchObject([
      {
        source: { name: 'eslint' },
        rule: 'js/equal',
        title: 'Loose comparison',
        severity: 'major',
        file: 'src/a.js',
        line: 2,
        end_line: 3,
        references: ['https://example.com/equal'],
      },
      { source: { name: 'claude' }, rule: null, title: 'Loose comparison', file: 'src/a.js', line: null },
    ])
  })
})
