import { expect, it } from 'vitest'
import type { CommandRun } from '../../../model/proof/verification.ts'
import { reportedIn } from './run-added.ts'

const runOf = (names: readonly string[]): CommandRun => ({
  name: 'test',
  run: 'node --test',
  ended: 'exited',
  exit_code: 1,
  output: '',
  tests: {
    format: 'tap',
    tests: names.map((name) => ({ name, status: 'failed', kind: 'test' })),
    complete: true,
    failures_named: true,
    ran: names.length,
  },
  duration_ms: 1,
  flaky: false,
})

it.each([
  ['a title alone', ['adds'], ['adds']],
  ['a title in a suite', ['cart > adds'], ['adds']],
  ['the title of a function', ['tests/test_a.py::test_adds'], ['test_adds']],
  ['not the same with a number after it', ['adds 2', 'test_adds_2'], []],
  ['not one that begins with it', ['addsup'], []],
])('of titles, those are seen to fail that failing tests bear: %s', (_what, names, seen) => {
  expect([...reportedIn([runOf(names)], ['adds', 'test_adds'])]).toEqual(seen)
})
