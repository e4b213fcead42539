import { afterEach, expect, it } from 'vitest'
import { createPlaces } from '../fixtures/command-line.ts'

const places = createPlaces()
afterEach(() => places.disposeAll())

const files = {
  'src/a.js': 'if (a === NaN) b()\nif (c.length < 0) d()\n',
  'lib/b.js': 'if (a === NaN) b()\n',
  'README.md': 'no program\n',
  'main.go': 'package main\n',
}

it('lists, counts and settles issues by rule, tool, path and age', () => {
  const { fixpoint } = places.open(files)
  const reviewed = fixpoint('review', '--yes', '--json')
  expect(reviewed.json()).toMatchObject({
    schema: 'fixpoint.review.v1',
    found: [{ file: 'lib/b.js' }, { file: 'src/a.js' }, { file: 'src/a.js' }],
    coverage: { percent: 66.6 },
  })
  expect(reviewed.stderr).toContain('lib/b.js:1')
  expect(reviewed.stderr).toContain('There are no rules for Go')

  const codesOf = (...flags: readonly string[]): readonly string[] =>
    fixpoint('issues', 'list', '--json', ...flags)
      .json<{ issues: { file: string; rule: string }[] }>()
      .issues.map(({ file, rule }) => `${file} ${rule}`)
      .toSorted()
  expect(codesOf('--rule', 'eslint/use-isnan')).toEqual([
    'lib/b.js eslint/use-isnan',
    'src/a.js eslint/use-isnan',
  ])
  expect(codesOf('--path', 'src')).toHaveLength(2)
  expect(codesOf('--path', '**/b.js', '--tool', 'rules', '--since', '1h')).toHaveLength(1)
  expect(codesOf('--source', 'tool')).toEqual([])
  expect(codesOf('--since', '2999-01-01')).toEqual([])
  expect(fixpoint('issues', 'list', '--group', 'rule', '--json').json()).toMatchObject({
    groups: [
      { value: 'eslint/use-isnan', count: 2 },
      { value: 'js/negative-length', count: 1 },
    ],
  })
  expect(fixpoint('issues', 'list', '--since', 'soon').exitCode).toBe(2)

  const planned = fixpoint('fix', '--rule', 'eslint/use-isnan', '--limit', '1', '--dry-run', '--json')
  expect(planned.json()).toMatchObject({ prompts: [expect.anything()] })

  const ignored = fixpoint(
    'issues',
    'ignore',
    '--rule',
    'eslint/use-isnan',
    '--reason',
    'shown to pupils',
    '--json',
  )
  expect(ignored.json()).toMatchObject({ issues: [{ status: 'ignored' }, { status: 'ignored' }] })
  expect(fixpoint('issues', 'reopen', '--path', 'lib', '--json').json()).toMatchObject({
    issues: [{ status: 'open', file: 'lib/b.js' }],
  })
  expect(fixpoint('issues', 'ignore', '--reason', 'x').exitCode).toBe(2)
})

it('looks at what changed on a pull request of a build service, and at everything on a push', () => {
  const place = places.open(files)
  const variables = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_BASE_REF: 'no-such-branch' }
  const { exitCode, stderr } = place.fixpointWith(variables, 'review', '--yes')
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is not in this clone')])
})
