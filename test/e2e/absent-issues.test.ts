import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createPlaces, type RunFixpoint } from '../fixtures/command-line.ts'
import type { FixtureRepository } from '../fixtures/repositories.ts'

const { open, disposeAll } = createPlaces()
afterEach(disposeAll)

const absentSince = (fixpoint: RunFixpoint, code: string): string | null =>
  fixpoint('issues', 'show', code, '--json').json<{ issue: { absent_since?: string | null } }>().issue
    .absent_since ?? null

function commit(repository: FixtureRepository, files: Readonly<Record<string, string>>): void {
  repository.write(files)
  repository.git('add', '-A')
  repository.git('commit', '-qm', 'by hand')
}

const repaired = { 'src/number.js': 'export function isMissing(value) {\n  return Number.isNaN(value)\n}\n' }
const broken = { 'src/number.js': 'export function isMissing(value) {\n  return value === NaN\n}\n' }

describe('an issue that the tool which raised it raises no longer', () => {
  it('keeps its status and says so, is left out of --all, and is as before when it is raised again', () => {
    const { repository, fixpoint } = open()
    fixpoint('review')
    expect(absentSince(fixpoint, 'BE-001')).toBeNull()
    commit(repository, repaired)
    const reviewed = fixpoint('review', '--json')
    expect(reviewed.json()).toMatchObject({ issues_absent: 1 })
    expect(absentSince(fixpoint, 'BE-001')).toMatch(/^\d{4}-/)
    expect(fixpoint('issues', 'show', 'BE-001').stdout).toMatch(/status +open[^]*absent +since \d{4}-/)
    const all = fixpoint('plan', '--all')
    expect(all.stderr).toContain('1 left out, as what raised it no longer does')
    expect(all.stdout).not.toContain('BE-001')
    expect(fixpoint('plan', 'BE-001').stdout).toContain('BE-001')
    commit(repository, broken)
    fixpoint('review')
    expect(absentSince(fixpoint, 'BE-001')).toBeNull()
  })

  it('is none where the rule is off, the file was not looked at, or a model said it', () => {
    const { repository, fixpoint } = open()
    fixpoint('review')
    const finding = { file: 'src/parse.js', line: 2, title: 'debugger left in', severity: 'minor' }
    const report = { schema: 'fixpoint.findings.v1', source: 'a-model', findings: [finding] }
    writeFileSync(join(repository.folder, 'report.json'), JSON.stringify(report))
    fixpoint('import', join(repository.folder, 'report.json'))
    const { issue } = fixpoint('issues', 'show', 'BE-001', '--json').json<{ issue: { rule: string } }>()
    commit(repository, { ...repaired, 'src/parse.js': 'export const parse = JSON.parse\n' })
    fixpoint('review', 'test')
    expect(absentSince(fixpoint, 'BE-001')).toBeNull()
    commit(repository, { 'fixpoint.yaml': `review:\n  rules: { ${issue.rule}: off }\n` })
    fixpoint('review', '--yes')
    const absent = ['BE-001', 'BE-002', 'BE-003'].filter((code) => absentSince(fixpoint, code) !== null)
    // Only this issue is of a rule that was checked again.
    expect(absent).toEqual(['BE-002'])
  })
})
