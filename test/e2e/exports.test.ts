import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createPlaces, envOf, fixpointIn } from '../fixtures/command-line.ts'

const places = createPlaces()
afterEach(() => places.disposeAll())

interface Imported {
  readonly findings: number
  readonly issues_created: number
  readonly issues_updated: number
}

function openWithIssues() {
  const { repository, fixpoint } = places.open()
  const report = join(repository.folder, 'report.json')
  const findings = [
    { title: 'Never equal', rule: 'nan', severity: 'critical', category: 'correctness', file: 'src/number.js', line: 2, suggested_fix: 'Number.isNaN(value)' },
    { title: 'Swallowed error', severity: 'minor', file: 'src/parse.js', line: '4-5', issue: 'The error is lost. Nobody sees it.' },
    { title: 'No owner', severity: 'info', file: 'src/parse.js' },
    { title: 'The design has a hole', severity: 'major' },
    { title: 'Outside', severity: 'minor', file: '../../etc/passwd', line: 3 },
  ]
  writeFileSync(report, JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'me', findings }))
  expect(fixpoint('import', report, '--json').json<Imported>().issues_created).toBe(5)
  return { repository, fixpoint }
}

describe('fixpoint export', () => {
  it.each(['sarif', 'json', 'rdjson'])('to %s imports back to the same issues', (format) => {
    const { repository, fixpoint } = openWithIssues()
    const before = fixpoint('issues', 'list', '--all', '--json').json()
    const file = join(repository.folder, `issues.${format}`)
    expect(fixpoint('export', '--format', format, '--output', file).exitCode).toBe(0)
    const imported = fixpoint('import', file, '--json').json<Imported>()
    expect(imported).toMatchObject({ issues_created: 0, issues_updated: 0, findings: format === 'rdjson' ? 3 : 5 })
    expect(fixpoint('issues', 'list', '--all', '--json').json()).toEqual(before)
  })

  it('to sarif makes the same issues in a home that knows none', () => {
    const { repository, fixpoint } = openWithIssues()
    const file = join(repository.folder, 'issues.sarif')
    fixpoint('export', 'sarif', '--output', file)
    const env = envOf(repository, { FIXPOINT_HOME: join(repository.folder, 'other-home') })
    expect(fixpointIn(repository.root, env, ['import', file, '--json']).json()).toMatchObject({ issues_created: 5 })
    const issuesIn = (list: { issues: Record<string, unknown>[] }) =>
      list.issues.map(({ title, severity, category, rule, file: path, line, end_line, fingerprint, flagged_by, suggested_fix }) => ({
        title, severity, category, rule, path, line, end_line, fingerprint, flagged_by, suggested_fix,
      }))
    const args = ['issues', 'list', '--all', '--json']
    expect(issuesIn(fixpointIn(repository.root, env, args).json())).toEqual(issuesIn(fixpoint(...args).json()))
  })

  it('to github prints annotations, and writes the summary of the step when it is asked for', () => {
    const { repository, fixpoint } = openWithIssues()
    const printed = fixpoint('export', 'github')
    expect(printed.stdout.trimEnd().split('\n').map((line) => line.split(' ')[0])).toEqual([
      '::error', '::error', '::warning', '::warning', '::notice',
    ])
    expect(fixpoint('export', 'github', '--summary')).toMatchObject({ exitCode: 2 })
    const summary = join(repository.folder, 'summary.md')
    writeFileSync(summary, '# Before\n')
    const env = envOf(repository, { GITHUB_STEP_SUMMARY: summary })
    expect(fixpointIn(repository.root, env, ['export', 'github', '--summary']).exitCode).toBe(0)
    expect(readFileSync(summary, 'utf8')).toMatch(/^# Before\n# Fixpoint\n\n5 issues: 5 open\.[^]*Never equal/)
  })

  it('to rdjson says what it cannot hold', () => {
    const { fixpoint } = openWithIssues()
    expect(fixpoint('export', 'rdjson').stderr).toContain('2 issues without a file are not in it')
  })

  it('refuses a format that is none, and two that differ', () => {
    const { fixpoint } = openWithIssues()
    expect(fixpoint('export').stderr).toContain('say in which format')
    expect(fixpoint('export', 'pdf').stderr).toContain('"pdf" is no format to export')
    expect(fixpoint('export', 'json', '--format', 'sarif').exitCode).toBe(2)
  })
})
