import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createPlaces } from '../fixtures/command-line.ts'

const places = createPlaces()
afterEach(places.disposeAll)

interface Issues {
  readonly issues: readonly {
    readonly code: string
    readonly status: string
    readonly ignored: { readonly reason: string } | null
  }[]
}

it('what one person ignores for all is ignored by a machine without memory, until it is taken off the list', () => {
  const { repository, fixpoint, fixpointWith } = places.open()
  const found = fixpoint('review', '--json')
  expect(found.exitCode, found.stderr).toBe(0)
  const [first] = fixpoint('issues', 'list', '--json').json<Issues>().issues
  const code = first?.code ?? ''
  const ignored = fixpoint('issues', 'ignore', code, '--reason', 'it is meant so', '--shared')
  expect(ignored.stderr).toContain('.fixpoint/ignored.yaml is written')
  const file = join(repository.root, '.fixpoint/ignored.yaml')
  expect(readFileSync(file, 'utf8')).toContain('who: Ada <ada@example.com>')
  repository.commitAll('leave it as it is')

  const elsewhere = { FIXPOINT_HOME: join(repository.folder, 'another-home') }
  const reviewed = fixpointWith(elsewhere, 'review', '--json')
  expect(reviewed.json()).toMatchObject({ issues_ignored: 1 })
  const standing = () =>
    fixpointWith(elsewhere, 'issues', 'show', code, '--json').json<{ issue: Issues['issues'][number] }>()
      .issue
  expect(standing()).toMatchObject({
    status: 'ignored',
    ignored: { reason: 'it is meant so (Ada <ada@example.com>, in .fixpoint/ignored.yaml)' },
  })

  writeFileSync(file, 'ignored: []\n')
  repository.commitAll('mend it after all')
  expect(fixpointWith(elsewhere, 'review', '--json').json()).toMatchObject({ issues_ignored: 0 })
  expect(standing()).toMatchObject({ status: 'open', ignored: null })

  writeFileSync(file, 'ignored: [{ fingerprint: a }]\n')
  repository.commitAll('break it')
  const broken = fixpointWith(elsewhere, 'review', '--json')
  expect(broken).toMatchObject({ exitCode: 2 })
  expect(broken.stdout).toContain('ignored.0.reason')
})

it('a pull request that is being built cannot ignore its own findings', () => {
  const { repository, fixpoint, fixpointWith } = places.open()
  fixpoint('review')
  const [first] = fixpoint('issues', 'list', '--json').json<Issues>().issues
  repository.git('checkout', '--quiet', '-b', 'work')
  fixpoint('issues', 'ignore', first?.code ?? '', '--reason', 'mine', '--shared')
  repository.commitAll('leave it as it is')
  const reviewed = (number: number, env: Readonly<Record<string, string>> = {}) =>
    fixpointWith(
      { FIXPOINT_HOME: join(repository.folder, `home-${number}`), ...env },
      'review',
      '.',
      '--json',
    )
  expect(reviewed(1).json()).toMatchObject({ issues_ignored: 1 })
  const built = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_BASE_REF: 'main' }
  expect(reviewed(2, built).json()).toMatchObject({ issues_ignored: 0 })
  expect(reviewed(3, { ...built, GITHUB_BASE_REF: 'gone' }).json()).toMatchObject({ issues_ignored: 0 })
  repository.git('checkout', '--quiet', '-B', 'main', 'work')
  expect(reviewed(4, built).json()).toMatchObject({ issues_ignored: 1 })
})

it('nothing is written through a link, and then nothing is ignored', () => {
  const { repository, fixpoint } = places.open()
  fixpoint('review')
  mkdirSync(join(repository.folder, 'outside'))
  symlinkSync(join(repository.folder, 'outside'), join(repository.root, '.fixpoint'))
  const refused = fixpoint(
    'issues',
    'ignore',
    '--severity',
    'info,minor,major,critical',
    '--reason',
    'no',
    '--shared',
    '--json',
  )
  expect(refused.exitCode).toBe(2)
  expect(refused.stdout).toContain('is a link')
  const { issues } = fixpoint('issues', 'list', '--json').json<Issues>()
  expect(issues.every(({ status }) => status === 'open')).toBe(true)
})
