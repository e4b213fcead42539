import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { survivorsOf } from '../contracts/agent-suite.ts'
import { createPlaces } from '../fixtures/command-line.ts'

const { open, disposeAll } = createPlaces()
afterEach(disposeAll)

const program = join(import.meta.dirname, '../fixtures/acp-agents/honest.mjs')
const config = `verify:
  commands:
    - { name: test, run: node --test --test-isolation=none }
agents:
  fixer: helper
  challenger: { use: helper, timeout: 2m }
  reviewers: [rules]
  helper: { use: acp, run: ${JSON.stringify(`node ${program}`)}, timeout: 2m }
`

const files = {
  'package.json': '{ "name": "sample", "type": "module" }\n',
  'src/total.js': 'export function read(total) {\n  if (total === NaN) return 0\n  return total\n}\n',
  'test/total.test.js':
    "import test from 'node:test'\nimport assert from 'node:assert/strict'\nimport { read } from '../src/total.js'\ntest('one stays', () => assert.equal(read(1), 1))\n",
}

it('any agent that speaks ACP fixes and challenges, named in the configuration by its program', () => {
  const { repository, fixpoint } = open({
    'fixpoint.yaml': config,
    ...files,
  })
  expect(fixpoint('review', '--yes', '--json').exitCode).toBe(0)
  const ran = fixpoint('fix', '--all', '--yes', '--json')
  expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
  const { branch_name, results } = ran.json<{ branch_name: string; results: readonly object[] }>()
  expect(results).toMatchObject([
    { outcome: 'fixed', rounds: [{ agent: { name: 'helper' }, challenge: { status: 'accepted' } }] },
  ])
  expect(repository.git('show', `${branch_name}:src/total.js`)).toContain('Number.isNaN(total)')
  expect(survivorsOf(repository.home)).toEqual([])
})

const askingAgain = (status: number, fallback = ''): string => {
  const stuck = `node ${program.replace('honest', 'asks-again')} ${status}`
  return `${config.replace('fixer: helper', `fixer: { use: stuck${fallback} }`)}  stuck: { use: acp, run: ${JSON.stringify(stuck)}, timeout: 10m }
fix: { patience: 2s }
`
}

it('one that asks its service again for longer than patience lasts is ended in sight, and the fallback fixes', () => {
  const { fixpoint } = open({ 'fixpoint.yaml': askingAgain(503, ', fallback: [helper]'), ...files })
  fixpoint('review', '--yes')
  const ran = fixpoint('fix', '--all', '--yes', '--no-tui')
  expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
  expect(ran.stderr).toMatch(
    /BE-001: agent waiting: stuck asks again, its service is overloaded: its service answered 503, given up at \d\d:\d\d:\d\dZ/,
  )
})

it.each([
  [503, 75, /^overloaded: stuck: its service answered 503, and asked again by itself for [2-9]s$/],
  [401, 3, /^auth: stuck: its service answered 401/],
])(
  'one that is answered %i without end leaves the session to be resumed, exit %i',
  (status, exit, reason) => {
    const { repository, fixpoint } = open({ 'fixpoint.yaml': askingAgain(status), ...files })
    fixpoint('review', '--yes')
    const ran = fixpoint('fix', '--all', '--yes', '--json')
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(exit)
    expect(ran.json()).toMatchObject({ status: 'parked', reason: expect.stringMatching(reason) as string })
    expect(survivorsOf(repository.home)).toEqual([])
  },
)

it('an agent that speaks ACP needs a program to start', () => {
  const { repository, fixpoint } = open()
  writeFileSync(join(repository.root, 'fixpoint.yaml'), 'agents:\n  fixer: { use: acp }\n')
  const ran = fixpoint('config', '--json')
  expect(ran.exitCode).toBe(2)
  expect(ran.stderr + ran.stdout).toContain('acp needs \\"run\\": a program to start')
})
