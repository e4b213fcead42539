import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readReport, type Report } from '../findings/read-report.ts'
import { anchorFinding, splitLines } from '../../loop/triage/anchor.ts'
import { planTriage } from '../../loop/triage/plan-triage.ts'
import { writtenFinding, type Finding, type WrittenFinding } from '../../model/issue/finding.ts'
import type { FindingId, IssueId, RepositoryId, ReviewId } from '../../model/id.ts'
import { formatCode, type Issue } from '../../model/issue/issue.ts'
import { formatJson } from './export-format.ts'
import { toFindingsJson } from './json.ts'
import { toMarkdown } from './markdown.ts'
import { toRdjson } from './rdjson.ts'
import { toSarif } from './sarif.ts'

const root = '/repository'
const source = { kind: 'rules', name: 'rules' } as const
const files: Readonly<Record<string, string>> = {
  'src/sum.js': 'const a = 1\nif (a == b) run()\neval(text)\n\nexport { a }\n',
  'docs/ü #1%.md': 'One\n\ntwo\n',
}

const written: readonly WrittenFinding[] = [
  writtenFinding({
    source,
    rule: 'js/eval',
    title: 'Code out of text',
    description: 'Text is run. It may be hostile.',
    severity: 'critical',
    category: 'security',
    file: 'src/sum.js',
    line: 3,
    end_line: 3,
    references: ['CWE-95', 'https://example.com/eval'],
  }),
  writtenFinding({
    source,
    rule: 'js/equal',
    title: 'Loose comparison',
    severity: 'minor',
    category: 'correctness',
    file: 'src/sum.js',
    line: 2,
    end_line: 2,
    suggested_fix: 'Use ===.',
    estimated_effort: 2,
  }),
  writtenFinding({
    source,
    title: 'The heading says nothing',
    severity: 'info',
    category: 'documentation',
    file: 'docs/ü #1%.md',
    line: 1,
    end_line: 1,
    suppressed: 'it is a draft',
  }),
  writtenFinding({
    source,
    rule: 'whole/file',
    title: 'This file has no owner',
    severity: 'major',
    file: 'docs/ü #1%.md',
  }),
  writtenFinding({
    source,
    title: 'The design has a hole',
    description: 'Two parts write the same table.',
    severity: 'major',
    place_note: 'no file was given',
  }),
]

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

const anchor = (findings: readonly WrittenFinding[]): readonly Finding[] =>
  findings.map((finding, index) =>
    anchorFinding(finding, finding.file === null ? null : splitLines(files[finding.file] ?? ''), {
      id: `fnd_${index}` as FindingId,
      reviewId: 'rev_1' as ReviewId,
      hash,
    }),
  )

function triage(findings: readonly WrittenFinding[], known: readonly Issue[]) {
  let count = known.length
  return planTriage({
    findings: anchor(findings),
    known,
    newIssue: {
      repositoryId: 'rep_1' as RepositoryId,
      nextId: () => `iss_${(count += 1)}` as IssueId,
      now: '2030-01-01T00:00:00.000Z',
      classOf: () => 'BE',
    },
  })
}

const issues: readonly Issue[] = triage(written, []).created.map((issue, index) => ({
  ...issue,
  code: formatCode('BE', index + 1),
}))

async function readBack(document: object): Promise<Report> {
  async function* bytes() {
    yield new TextEncoder().encode(formatJson(document))
  }
  return readReport(bytes(), { root, sourceName: 'export' })
}

const claims = (all: readonly (Issue | WrittenFinding)[]) =>
  all.map(({ file, line, rule, severity, title }) => ({ file, line, rule, severity, title }))

describe('an export of two problems that only their columns tell apart', () => {
  const at = (column: number) =>
    writtenFinding({
      source,
      rule: 'no-unused',
      title: 'This import is unused',
      severity: 'minor',
      file: 'src/a.js',
      line: 1,
      end_line: 1,
      column,
    })
  const two = triage([at(8), at(34)], []).created.map((issue, index) => ({
    ...issue,
    code: formatCode('BE', index + 1),
  }))

  it.each([
    ['SARIF', toSarif(two, { version: '1.2.3' })],
    ['rdjson', toRdjson(two)],
    ['fixpoint.findings.v1', toFindingsJson(two)],
  ])('keeps them apart as %s', async (_, document) => {
    const { findings } = await readBack(document)
    expect(findings.map(({ column }) => column)).toEqual([8, 34])
    expect(triage(findings, []).created).toHaveLength(2)
    expect(triage(findings, two).created).toEqual([])
  })
})

describe('an export to SARIF', () => {
  it('is read back with the same places, rules, severities and titles', async () => {
    const { findings, format } = await readBack(toSarif(issues, { version: '1.2.3' }))
    expect(format).toBe('sarif')
    expect(claims(findings)).toEqual(claims(issues))
    expect(findings.map(({ category }) => category)).toEqual(issues.map(({ category }) => category))
    expect(findings.map(({ suppressed }) => suppressed)).toEqual(
      issues.map(({ ignored }) => ignored?.reason ?? null),
    )
  })

  it('makes no new issue when it is imported where it came from', async () => {
    const { findings } = await readBack(toSarif(issues, { version: '1.2.3' }))
    expect(triage(findings, issues)).toEqual({
      created: [],
      changed: [],
      issueOf: issues.map(({ id }) => id),
    })
  })

  it('tells of each rule what it is about, what to do and where to read more', () => {
    const [first] = issues
    const why = 'It is never true.'
    const about = { why, advice: 'use another', references: ['https://example.com/rule'] }
    const rules = new Map([[first?.rule ?? '', about]])
    const [run] = toSarif([{ ...(first as Issue), references: [] }], { version: '1.2.3', rules }).runs
    expect(run?.tool.driver.rules).toMatchObject([
      {
        fullDescription: { text: why },
        help: { text: `${why}\n\nWhat to do: use another.\n\nhttps://example.com/rule` },
        helpUri: 'https://example.com/rule',
      },
    ])
    const unknown = toSarif([{ ...(first as Issue), description: 'Said so.' }], { version: '1.2.3' })
    expect(unknown.runs[0]?.tool.driver.rules).toMatchObject([{ fullDescription: { text: 'Said so.' } }])
  })

  it('is one run of fixpoint in which every result points at its rule', () => {
    const { runs, version } = toSarif(issues, { version: '1.2.3' })
    const [run] = runs
    const rules = run?.tool.driver.rules ?? []
    expect({ version, runs: runs.length, driver: run?.tool.driver.name }).toEqual({
      version: '2.1.0',
      runs: 1,
      driver: 'fixpoint',
    })
    expect(rules.map(({ id }) => id)).toEqual(['js/eval', 'js/equal', 'whole/file'])
    for (const { ruleId, ruleIndex } of run?.results ?? [])
      expect(ruleIndex === undefined ? undefined : rules[ruleIndex]?.id).toBe(ruleId)
  })

  it('says of an issue what other tools can use, and what only Fixpoint knows', () => {
    const [issue] = issues.map((one): Issue => ({
      ...one,
      status: 'ignored',
      ignored: { reason: 'it is a toy', until: '2031-01-01' },
    }))
    expect(toSarif([issue!], { version: '1.2.3', newestReview: 'rev_2' }).runs[0]?.results).toEqual([
      {
        ruleId: 'js/eval',
        ruleIndex: 0,
        level: 'error',
        message: { text: 'Code out of text\n\nText is run. It may be hostile.' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'src/sum.js', uriBaseId: '%SRCROOT%' },
              region: { startLine: 3, endLine: 3, snippet: { text: 'eval(text)' } },
            },
          },
        ],
        partialFingerprints: {
          'fixpoint/v1': issue?.fingerprint,
          primaryLocationLineHash: `${issue?.fingerprint.slice(0, 16)}:1`,
        },
        baselineState: 'unchanged',
        suppressions: [{ kind: 'external', status: 'accepted', justification: 'it is a toy' }],
        properties: {
          category: 'security',
          tags: ['security', 'CWE-95'],
          'security-severity': '9.5',
          code: 'BE-001',
          status: 'ignored',
          severity: 'critical',
          priority: 96,
          evidence: null,
          flagged_by: ['rules'],
          references: ['CWE-95', 'https://example.com/eval'],
          ignored_until: '2031-01-01',
        },
      },
    ])
  })

  it('holds no result for no issue', () => {
    expect(toSarif([], { version: '1.2.3' }).runs[0]?.results).toEqual([])
  })
})

describe('an export to JSON', () => {
  it('is read back as the same issues, those without a place too', async () => {
    const { findings, format } = await readBack(toFindingsJson(issues))
    expect(format).toBe('fixpoint')
    expect(claims(findings)).toEqual(claims(issues))
    expect(triage(findings, issues)).toEqual({
      created: [],
      changed: [],
      issueOf: issues.map(({ id }) => id),
    })
  })

  it('makes equal issues in a home that knows none of them', async () => {
    const { findings } = await readBack(toFindingsJson(issues))
    expect(
      triage(findings, []).created.map((issue, index) => ({ ...issue, code: formatCode('BE', index + 1) })),
    ).toEqual(issues)
  })

  it('names for each finding who raised it', () => {
    const [first, second] = issues
    const { source, findings } = toFindingsJson([first!, { ...second!, flagged_by: ['eslint', 'biome'] }])
    expect(source).toEqual({ kind: 'tool', name: 'fixpoint' })
    expect(findings.map((finding) => finding.source.name)).toEqual(['rules', 'eslint'])
  })

  it('writes characters that terminals obey as escapes', () => {
    const value = { text: 'a\u202Eb\u009Bc\u001B[31m' }
    expect(formatJson(value)).not.toMatch(/[\u007F-\u009F\u202E\u001B]/)
    expect(JSON.parse(formatJson(value))).toEqual(value)
  })
})

describe('an export to Markdown', () => {
  it('has a table for each severity that occurs, and every issue in full', () => {
    const text = toMarkdown(issues)
    expect(text.match(/^#+ .*/gm)).toEqual([
      '# Issues',
      '## Critical (1)',
      '## Major (2)',
      '## Minor (1)',
      '## Info (1)',
      '## Details',
      '### BE-001: Code out of text',
      '### BE-004: This file has no owner',
      '### BE-005: The design has a hole',
      '### BE-002: Loose comparison',
      '### BE-003: The heading says nothing',
    ])
    expect(text).toContain('5 issues: 4 open, 1 ignored.')
    expect(text).toContain('| BE-002 | open | `src/sum.js:2` | Loose comparison |')
    expect(text).toContain('- Ignored: it is a draft')
  })

  it('shows text that looks like Markdown as it was written', () => {
    const [issue] = issues
    const hostile = {
      ...issue!,
      title: '[x](http://a) <b> | y',
      description: '# Big\n```\nopen',
      current_code: '```\nend',
    }
    const text = toMarkdown([hostile])
    expect(text).toContain(String.raw`| BE-001 | open | ${'`src/sum.js:3`'} | \[x](http://a) \<b> \| y |`)
    expect(text).toContain('\\# Big\n\\```\nopen')
    expect(text).toContain('````\n```\nend\n````')
  })

  it('says so when there is nothing', () => {
    expect(toMarkdown([])).toBe('# Issues\n\nThere are none.\n')
  })
})
