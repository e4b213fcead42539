import { expect, it } from 'vitest'
import { sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import { judgedPatch } from '../../../test/fixtures/judged-patch.ts'
import type { IssueReport } from '../../model/agent/report.ts'
import { runGates } from './run-gates.ts'

const run = sampleRun()
const report = { outcome: 'fixed' } as IssueReport
const patch = judgedPatch([['a.js', 'a()\n', 'b()\n']])

it('a failed agent closes the first gate, and no other is asked', async () => {
  const ending = { ended: 'failed', kind: 'crashed', message: 'exit code 1', reset_at: null } as const
  expect(await runGates({ patch, run: { run: { ...run, ending }, report: null } })).toEqual([
    { name: 'ran', status: 'failed', reason: 'the agent crashed: exit code 1' },
  ])
})

it('no readable report closes it too', async () => {
  expect(await runGates({ patch, run: { run, report: null } })).toMatchObject([
    { name: 'ran', status: 'failed', reason: expect.stringContaining('no readable report') },
  ])
})

it('a finished agent with a report goes on to the gates of the patch, and no further', async () => {
  const gates = await runGates({ patch, run: { run, report } })
  expect(gates.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'ran passed',
    'changed passed',
    'scope passed',
    'tamper passed',
    'secrets passed',
  ])
})
