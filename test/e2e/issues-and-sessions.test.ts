import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FixEvent } from '../../src/model/session/event.ts'
import type { Issue } from '../../src/model/issue/issue.ts'
import type { SessionResult } from '../../src/model/session/session-result.ts'
import {
  commandLineOf,
  configOf,
  envOf,
  fixpointIn,
  sources,
  type Ran,
  type RunFixpoint,
} from '../fixtures/command-line.ts'
import { makeRepository, type FixtureRepository } from '../fixtures/repositories.ts'
import type { Timing } from '../../src/model/session/timing.ts'

describe('issues, exports and sessions', () => {
  let repository: FixtureRepository
  let fixpoint: RunFixpoint
  let session: string
  /** The codes of the fixed issue, and of the issue that has no safe fix. */
  let fixed: string
  let blocked: string

  beforeAll(() => {
    repository = makeRepository({ ...sources, 'fixpoint.yaml': configOf() })
    fixpoint = commandLineOf(repository)
    fixpoint('review', '--yes')
    const result = fixpoint('fix', '--all', '--json').json<SessionResult>()
    const codeOf = (file: string) => result.results.find((one) => one.file === file)?.issue_code ?? 'none'
    session = result.session_id
    fixed = codeOf('src/number.js')
    blocked = codeOf('src/parse.js')
  })
  afterAll(() => repository.dispose())

  const statusOf = (code: string) =>
    fixpoint('issues', 'show', code, '--json').json<{ issue: Issue }>().issue.status
  const firstOf = (ran: Ran) => ran.json<{ issues: readonly Issue[] }>().issues[0]

  test('an issue is shown with its code, its sources and every attempt', () => {
    const ran = fixpoint('issues', 'show', fixed.toLowerCase())
    expect(ran.exitCode).toBe(0)
    expect(ran.stdout).toMatch(/status +resolved/)
    expect(ran.stdout).toMatch(/commit +[0-9a-f]{40} on fix\//)
    expect(ran.stdout).toContain('  2 |   return value === NaN')
    expect(ran.stdout).toContain(`Session ${session}: fixed`)
    expect(fixpoint('issues', 'show', fixed, '--json').json()).toMatchObject({
      schema: 'fixpoint.issue.v1',
      issue: { code: fixed, evidence: expect.stringMatching(/E[12]/) },
      findings: [{ source: { name: 'rules' } }],
      attempts: [{ stage: 'settled', outcome: 'fixed' }],
    })
    expect(fixpoint('issues', 'show', blocked).stdout).toMatch(
      /no fix that is safe to apply here; configure an agent/,
    )
  })

  test('the quick answers are those of the whole command line', () => {
    const { root } = repository
    // With this variable git may find another repository than a plain walk through the folders would, so only git is asked.
    const wholly = (...args: string[]) =>
      fixpointIn(root, envOf(repository, { GIT_CEILING_DIRECTORIES: '/' }), args)
    for (const args of [
      ['issues'],
      ['issues', 'list'],
      ['issues', 'show', fixed],
      ['issues', 'show', blocked],
    ])
      expect(fixpoint(...args)).toMatchObject({ stdout: wholly(...args).stdout, stderr: '', exitCode: 0 })
  })

  test('the next page is of the same list', () => {
    const { stdout } = fixpoint(
      'issues',
      'list',
      '--limit',
      '1',
      '--severity',
      'major,minor',
      '--search',
      's q',
    )
    expect(stdout).toBe('No issue matches.\n')
    const first = fixpoint('issues', 'list', '--limit', '1', '--severity', 'major,minor', '--search', 'src/')
    const more = /More: fixpoint (issues list --severity major,minor --search src\/ --limit 1 --cursor \S+)/
    const next = more.exec(first.stdout)?.[1]?.split(' ') ?? ['none']
    expect(fixpoint(...next)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\S+-00\d .*\n$/) })
  })

  test('one of a kind is said in the singular', () => {
    expect(fixpoint('issues', 'show', fixed).stdout).toContain('1 file changed')
    expect(fixpoint('sessions', 'show', session).stdout).toContain(' 1 tree verified')
    expect(fixpoint('sessions', 'report', session).stdout).toContain(' 1 tree verified')
    expect(fixpoint('sessions', 'report', session, '--timing').stdout).toMatch(
      /by the clock\n(?:.* [█·]{40} .*\n)+/,
    )
    const timing = JSON.parse(fixpoint('sessions', 'report', session, '--timing', '--json').stdout) as Timing
    expect(timing).toMatchObject({
      schema: 'fixpoint.timing.v1',
      session_id: session,
      store_ms: expect.any(Number),
    })
    expect(timing.parts.reduce((sum, part) => sum + part.wall_ms, 0)).toBeCloseTo(timing.wall_ms, -2)
    const { stdout, stderr } = fixpoint('review', 'src/parse.js')
    expect(`${stderr}${stdout}`).toMatch(
      /1 finding, 1 file read.*of 1 file read in full.*Found 1 problem\. /s,
    )
  })

  test('a session is exported as one page that needs nothing else', () => {
    const printed = fixpoint('export', 'html', session).stdout
    expect(printed).toMatch(/^<!doctype html>/)
    expect(printed).toContain(fixed)
    expect(printed).not.toMatch(/<script|\bsrc=|<link/)
    expect(fixpoint('export', 'html', session, '--output', 'session.html').exitCode).toBe(0)
    expect(readFileSync(join(repository.root, 'session.html'), 'utf8').trimEnd()).toBe(printed.trimEnd())
    expect(fixpoint('export', 'html', 'ses_none').exitCode).not.toBe(0)
    rmSync(join(repository.root, 'session.html'))
  })

  test('a session that has ended has no questions to go on with', () => {
    const { stdout } = fixpoint('answer', session)
    expect(stdout).toContain(`The session has ended: fixpoint sessions show ${session}`)
    expect(stdout).not.toContain('resume')
  })

  test('a dry run tells all that a plan tells, and the prompts', () => {
    const plan = fixpoint('plan', blocked, '--json').json()
    const { prompts, ...dry } = fixpoint('fix', blocked, '--dry-run', '--json').json()
    expect(dry).toEqual(plan)
    expect(prompts).toEqual([{ code: blocked, prompt: expect.stringContaining('src/parse.js') }])
  })

  test('a plan without codes is of all open issues', () => {
    const open = fixpoint('issues', 'list', '--status', 'open', '--json').json()['issues'] as {
      code: string
    }[]
    const { schema, execution_steps: steps } = fixpoint('plan', '--json').json()
    expect(schema).toBe('fixpoint.plan.v1')
    for (const { code } of open) expect(JSON.stringify(steps)).toContain(`"${code}"`)
    expect(JSON.stringify(steps)).not.toContain(fixed)
  })

  test('an unknown code is named, with what to do', () => {
    for (const args of [
      ['show', 'BE-999'],
      ['reopen', 'BE-999'],
      ['duplicate', blocked, '--of', 'BE-999'],
    ]) {
      const ran = fixpoint('issues', ...args, '--json')
      expect(ran.exitCode).toBe(2)
      expect(ran.json()).toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('BE-999'),
        hint: expect.stringContaining('issues list'),
      })
    }
  })

  test('a person ignores, reopens and resolves; every other move is refused with those that are allowed', () => {
    const code = blocked
    const ignored = fixpoint(
      'issues',
      'ignore',
      code,
      '--reason',
      'a toy',
      '--until',
      '2999-12-31',
      '--json',
    ).json()
    expect(ignored).toMatchObject({
      schema: 'fixpoint.issues.v1',
      issues: [{ code, status: 'ignored', ignored: { reason: 'a toy', until: '2999-12-31' } }],
      next_cursor: null,
    })
    const refused = fixpoint('issues', 'resolve', code, '--note', 'by hand', '--json')
    expect(refused.exitCode).toBe(2)
    expect(refused.json()).toMatchObject({
      code: 'transition_refused',
      message: `${code} is ignored and cannot become resolved`,
      hint: 'From ignored it can become open.',
      details: { allowed: ['open'] },
    })
    expect(fixpoint('issues', 'reopen', code, '--note', 'it matters').exitCode).toBe(0)
    expect(firstOf(fixpoint('issues', 'resolve', code, '--note', 'by hand', '--json'))).toMatchObject({
      status: 'resolved',
      evidence: 'manual',
      resolution_note: 'by hand',
      ignored: null,
    })
    expect(firstOf(fixpoint('issues', 'reopen', code, '--json'))).toMatchObject({
      status: 'open',
      evidence: null,
      resolution_note: null,
    })
    const shown = fixpoint('issues', 'show', code, '--json').json() as { moves: unknown }
    expect(shown.moves).toMatchObject([
      { by: 'person', from: 'open', to: 'ignored', note: 'a toy' },
      { by: 'person', from: 'ignored', to: 'open', note: 'it matters' },
      { by: 'person', from: 'open', to: 'resolved', note: 'by hand' },
      { by: 'person', from: 'resolved', to: 'open', note: null },
    ])
    expect(fixpoint('issues', 'show', code).stdout).toMatch(
      /Changed by hand\n {2}\S+ {2}open → ignored: a toy\n/,
    )
  })

  test.each([
    ['with spaces', () => [blocked, fixed]],
    ['with commas', () => [`${blocked},${fixed}`]],
  ])('several at once (%s) change all together or not at all', (_, codes) => {
    const ran = fixpoint('issues', 'ignore', ...codes(), '--reason', 'both', '--json')
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({
      code: 'transition_refused',
      message: expect.stringMatching(new RegExp(`1 of 2 .*none was changed:\n  ${fixed} is resolved`)),
    })
    expect([statusOf(blocked), statusOf(fixed)]).toEqual(['open', 'resolved'])
  })

  test('a duplicate names another issue, never itself or another duplicate', () => {
    const [open, other] = [blocked, fixed]
    expect(fixpoint('issues', 'duplicate', open, '--of', open).stderr).toContain(
      'cannot be a duplicate of itself',
    )
    expect(fixpoint('issues', 'duplicate', open, '--of', other).exitCode).toBe(0)
    expect(fixpoint('issues', 'show', open).stdout).toMatch(new RegExp(`duplicate of +${other}`))
    expect(fixpoint('issues', 'duplicate', other, '--of', open).stderr).toContain('is itself a duplicate')
    expect(firstOf(fixpoint('issues', 'reopen', open, '--json'))).toMatchObject({
      status: 'open',
      duplicate_of: null,
    })
  })

  test('an issue is not ignored until no day, or for no reason', () => {
    const ran = fixpoint('issues', 'ignore', blocked, '--reason', 'later', '--until', '2999-02-30', '--json')
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({
      code: 'usage',
      message: '--until 2999-02-30: this is no day',
      hint: expect.stringContaining('2030-12-31'),
    })
    expect(fixpoint('issues', 'ignore', blocked, '--reason', ' ').stderr).toContain('--reason is empty')
    expect(statusOf(blocked)).toBe('open')
  })

  test.each(['sarif', 'json'])('an export to %s is imported again without a new issue', (format) => {
    const file = join(repository.folder, `issues.${format}`)
    const written = fixpoint('export', format, '--output', file, '--json')
    expect(written.json()).toMatchObject({ schema: 'fixpoint.export.v1', format, file, issues: 2 })
    const printed = fixpoint('export', format)
    expect(JSON.parse(printed.stdout)).toEqual(JSON.parse(readFileSync(file, 'utf8')))
    expect(fixpoint('import', file, '--json').json()).toMatchObject({ findings: 2, issues_created: 0 })
  })

  test('an export to Markdown names every issue, and statuses narrow it', () => {
    expect(fixpoint('export', 'markdown').stdout).toMatch(/^# Issues\n\n2 issues: /)
    expect(fixpoint('export', 'markdown', '--status', 'open').stdout).toMatch(
      /^# Issues\n\n1 issue: 1 open\./,
    )
    expect(fixpoint('export', 'markdown', '--json').json()).toMatchObject({
      schema: 'fixpoint.export.v1',
      text: expect.stringContaining('# Issues'),
    })
  })

  test('an export refuses formats and files by name', () => {
    const format = fixpoint('export', 'pdf', '--json')
    expect(format.exitCode).toBe(2)
    expect(format.json()).toMatchObject({
      code: 'usage',
      hint: 'Known are sarif, json, markdown, junit, github, rdjson, html, bundle.',
    })
    const file = fixpoint(
      'export',
      'json',
      '--output',
      join(repository.folder, 'no/such/folder.json'),
      '--json',
    )
    expect(file.exitCode).toBe(2)
    expect(file.json()).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('cannot be written (ENOENT)'),
    })
  })

  test('sessions are listed, shown, logged and reported', () => {
    expect(fixpoint('sessions', 'list', '--json').json()).toMatchObject({
      schema: 'fixpoint.sessions.v1',
      sessions: [
        {
          session_id: session,
          status: 'partial',
          issues_requested: 2,
          issues_fixed: 1,
          issues_failed: 0,
          issues_skipped: 1,
          resumable: false,
          driven: false,
          branch_name: expect.stringMatching(/^fix\//),
        },
      ],
    })
    expect(fixpoint('sessions', 'list').stdout).toContain('1 fixed, 0 failed, 1 skipped of 2')
    const shown = fixpoint('sessions', 'show', session, '--json')
    expect(shown).toMatchObject({ exitCode: 0 })
    expect(shown.json()).toMatchObject({ schema: 'fixpoint.session.v1', session_id: session })
    const log = fixpoint('sessions', 'log', session, '--json').json<{ events: readonly FixEvent[] }>()
    expect(log).toMatchObject({ schema: 'fixpoint.events.v1', session_id: session })
    expect(log.events.map(({ seq }) => seq)).toEqual(log.events.map((_, index) => index + 1))
    const lines = fixpoint('sessions', 'log', session, '--jsonl').stdout.trim().split('\n')
    expect(lines).toHaveLength(log.events.length + 1)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ schema: 'fixpoint.session.v1' })
    const report = fixpoint('sessions', 'report', session).stdout
    expect(report).toMatch(/### Round 1\n\nAgent: rules, finished/)
    expect(report).toMatch(/- verification: passed: /)
    expect(report).toMatch(/Challenge by rules: accepted, score \d+/)
    expect(report).toContain('+  return Number.isNaN(value)')
    expect(report).toContain('**needs_agent**')
  })

  test('an unknown session is named, with what to do', () => {
    for (const id of ['ses_1', 'nonsense']) {
      const ran = fixpoint('sessions', 'report', id, '--json')
      expect(ran.exitCode).toBe(2)
      expect(ran.json()).toMatchObject({
        code: 'not_found',
        message: `there is no session "${id}"`,
        hint: expect.stringContaining('sessions list'),
      })
    }
  })
})
