import { expect, it } from 'vitest'
import type { PullRequestRow } from '../../../src/model/api/pull-requests.ts'
import { waitingOn } from './pull-item.tsx'

const votes = {
  status: 'approved',
  average: 90,
  reason: 'fine',
  head_sha: 'a1',
  at: '2030-01-01T00:00:00Z',
} as const
const pull: PullRequestRow = {
  number: 1,
  url: 'https://forge/1',
  title: 'fix: all',
  author: 'ada',
  branch: 'fix/all',
  base: 'main',
  head_sha: 'a1',
  draft: false,
  session_id: null,
  voting: false,
  votes,
  open_threads: 0,
}

it.each<[string, Partial<PullRequestRow>, readonly string[]]>([
  ['nothing where all is well', {}, []],
  ['a person while it is a draft', { draft: true }, ['It is a draft']],
  ['votes', { votes: null }, ['Nobody has voted']],
  ['those who vote right now', { votes: null, voting: true }, ['Agents vote']],
  ['new votes when the branch moved', { head_sha: 'b2' }, ['The branch moved after the votes']],
  [
    'what the votes ask for',
    { votes: { ...votes, status: 'changes_needed', reason: 'a finding stands against it' } },
    ['a finding stands against it'],
  ],
  ['conversations that are open', { open_threads: 2 }, ['2 conversations open']],
  ['nothing of what could not be asked', { open_threads: null }, []],
])('a pull request waits for %s', (_, given, expected) => {
  expect(waitingOn({ ...pull, ...given })).toEqual(expected)
})
