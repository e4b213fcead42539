import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Log } from 'sarif'
import { afterEach, describe, expect, it } from 'vitest'
import { documentText } from '../../src/adapters/exports/export-format.ts'
import { exportIssues } from '../../src/app/export/export-issues.ts'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { importFindings } from '../../src/app/review/import-findings.ts'
import type { Issue } from '../../src/model/issue/issue.ts'
import { createPlaces, envOf, fixpointIn } from '../fixtures/command-line.ts'

const places = createPlaces()
const opened: App[] = []
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close()
  places.disposeAll()
})

const findings = [
  {
    title: 'Never equal',
    rule: 'nan',
    severity: 'critical',
    file: 'src/number.js',
    line: 2,
    suggested_fix: 'Number.isNaN(value)',
  },
  {
    title: 'Swallowed error',
    severity: 'minor',
    file: 'src/parse.js',
    line: '4-5',
    issue: 'The error is lost. Nobody sees it.',
  },
  { title: 'No owner', severity: 'info', file: 'src/parse.js' },
  { title: 'The design has a hole', severity: 'major' },
  { title: 'Outside', severity: 'minor', file: '../../etc/passwd', line: 3 },
]
const report = JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'me', findings })

const read = (app: App, text: string) =>
  importFindings(app, { file: '-', format: null, stdin: Readable.from([Buffer.from(text)]) })

async function openWithIssues() {
  const { repository, fixpoint } = places.open()
  const open = async (home: string) => {
    const app = await openApp({ cwd: repository.root, env: envOf(repository, { FIXPOINT_HOME: home }) })
    opened.push(app)
    return app
  }
  const app = await open(repository.home)
  await read(app, report)
  return { repository, fixpoint, app, openElsewhere: () => open(join(repository.folder, 'other-home')) }
}

const issuesOf = (app: App) => chooseIssues(app, { all: true })
const textOf = async (app: App, format: string) =>
  documentText((await exportIssues(app, { format, version: '1.2.3' })).document)

/** The claims of issues, without their codes and their history. */
const claimsOf = (issues: readonly Issue[]) =>
  issues
    .map(
      ({
        fingerprint,
        title,
        severity,
        category,
        rule,
        file,
        line,
        end_line,
        flagged_by,
        suggested_fix,
      }) => ({
        fingerprint,
        title,
        severity,
        category,
        rule,
        file,
        line,
        end_line,
        flagged_by,
        suggested_fix,
      }),
    )
    .toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))

describe('an export', () => {
  it.each(['sarif', 'json', 'rdjson'] as const)('to %s imports back to the same issues', async (format) => {
    const { app } = await openWithIssues()
    const before = await issuesOf(app)
    const imported = await read(app, await textOf(app, format))
    expect(imported).toMatchObject({ created: 0, changed: 0, findings: format === 'rdjson' ? 3 : 5 })
    expect(await issuesOf(app)).toEqual(before)
  })

  it.each(['sarif', 'json'] as const)(
    'to %s makes the same issues in a home that knows none',
    async (format) => {
      const { app, openElsewhere } = await openWithIssues()
      const elsewhere = await openElsewhere()
      expect(await read(elsewhere, await textOf(app, format))).toMatchObject({ created: 5 })
      expect(claimsOf(await issuesOf(elsewhere))).toEqual(claimsOf(await issuesOf(app)))
    },
  )

  it('to rdjson says what it cannot hold', async () => {
    const { app } = await openWithIssues()
    expect((await exportIssues(app, { format: 'rdjson', version: '1' })).warnings).toEqual([
      '2 issues without a file are not in it: rdjson has no way to express them',
    ])
  })
})

describe('issues that the built-in rules raised', () => {
  it('are exported with what the rules would change, though nobody has fixed them', () => {
    const { fixpoint } = places.open()
    expect(fixpoint('review', '--yes').exitCode).toBe(0)
    const fixes = fixpoint('export', 'sarif')
      .json<Log>()
      .runs[0]?.results?.flatMap(({ fixes: some }) => some ?? [])
    expect(fixes?.[0]?.artifactChanges).toMatchObject([
      {
        artifactLocation: { uri: 'src/number.js' },
        replacements: [
          {
            deletedRegion: { startLine: 2, endLine: 3 },
            insertedContent: { text: '  return Number.isNaN(value)\n' },
          },
        ],
      },
    ])
    const [first] = fixpoint('export', 'rdjson').json<{ diagnostics: [object] }>().diagnostics
    expect(first).toMatchObject({
      suggestions: [
        { range: { start: { line: 2 }, end: { line: 2 } }, text: '  return Number.isNaN(value)' },
      ],
    })
  })
})

describe('fixpoint export', () => {
  it('prints annotations, and writes the summary of the step when it is asked for', async () => {
    const { repository, fixpoint } = await openWithIssues()
    expect(fixpoint('export', 'github', '--summary')).toMatchObject({ exitCode: 2 })
    const summary = join(repository.folder, 'summary.md')
    writeFileSync(summary, '# Before\n')
    const env = envOf(repository, { GITHUB_STEP_SUMMARY: summary })
    const { stdout } = fixpointIn(repository.root, env, ['export', '--format', 'github', '--summary'])
    const kinds = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0])
    expect(kinds).toEqual(['::error', '::error', '::warning', '::warning', '::notice'])
    expect(readFileSync(summary, 'utf8')).toMatch(
      /^# Before\n# Fixpoint\n\n5 issues: 5 open\.[^]*Never equal/,
    )
  })

  it('refuses a format that is none, and two that differ', async () => {
    const { fixpoint } = await openWithIssues()
    expect(fixpoint('export').stderr).toContain('say in which format')
    expect(fixpoint('export', 'pdf').stderr).toContain('"pdf" is no format to export')
    expect(fixpoint('export', 'json', '--format', 'sarif').exitCode).toBe(2)
  })
})
