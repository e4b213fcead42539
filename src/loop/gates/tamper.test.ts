import { expect, it } from 'vitest'
import { judgedPatch, patchedTree } from '../../../test/fixtures/judged-patch.ts'
import { runGates } from './run-gates.ts'
import { tamperGate } from './tamper.ts'

const weakened = [
  'test/a.test.js',
  "test('a', () => {\n  assert.equal(a(), 1)\n})\n",
  "test('a', () => {\n})\n",
] as const

it('a weakened test waits for a person', async () => {
  expect(await runGates({ patch: judgedPatch([weakened]) }, { list: [tamperGate] })).toMatchObject([
    { name: 'tamper', status: 'failed', paths: ['test/a.test.js'], asks: { whom: 'person' } },
  ])
})

it('what a person has allowed is not asked for again, and only as it was then', async () => {
  const approved = { tree: patchedTree, paths: ['test/a.test.js'] }
  const patch = judgedPatch([weakened], { approved })
  expect(await runGates({ patch }, { list: [tamperGate] })).toMatchObject([{ status: 'passed' }])
  const more = { ...patch, changes: patch.changes.map((change) => ({ ...change, after: '' })) }
  expect(await runGates({ patch: more }, { list: [tamperGate] })).toMatchObject([{ status: 'failed' }])
})
