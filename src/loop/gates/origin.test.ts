import { expect, it } from 'vitest'
import { judgedPatch, patchedTree } from '../../../test/fixtures/judged-patch.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { OriginAnswer, Origins } from '../ports.ts'
import { originGate } from './origin.ts'
import { runGates } from './run-gates.ts'

const green: Verification = {
  status: 'passed',
  reason: '',
  tree: patchedTree,
  commands: [],
  depends_on_patch: true,
}
const edits = [['a.js', 'a()\n', 'b()\n']] as const
/** A tool that gives one answer on the base and another on the patched tree. */
const tool = (before: OriginAnswer | null, after: OriginAnswer | null): Origins => ({
  ask: async (_issue, { tree }) => (tree === patchedTree ? after : before),
})
const originOf = async (...origins: readonly Origins[]) => {
  const patch = judgedPatch(edits)
  const verified = { verification: green, minEvidence: 'E1', claim: null } as const
  const given = { patch: { ...patch, ports: { ...patch.ports, origins } }, verified }
  return (await runGates(given, { list: [originGate] }))[0]
}

it('a tool that is silent now is E2', async () => {
  expect(await originOf(tool({ loud: 1 }, { loud: 0 }))).toMatchObject({ status: 'passed', grade: 'E2' })
})

it.each<[string, readonly Origins[], string]>([
  ['as loud as before is refused', [tool({ loud: 1 }, { loud: 1 })], 'failed'],
  [
    'one tool that is still loud is enough',
    [tool({ loud: 1 }, { loud: 0 }), tool({ loud: 1 }, { loud: 1 })],
    'failed',
  ],
  [
    'a tool that cannot be asked leaves it open',
    [tool({ loud: 1 }, { unanswered: 'it crashed' })],
    'not_evaluated',
  ],
  ['a tool that was silent on the base proves nothing', [tool({ loud: 0 }, { loud: 0 })], 'not_evaluated'],
  ['no tool, no question', [tool(null, null)], 'not_applicable'],
])('%s', async (_name, origins, status) => {
  expect(await originOf(...origins)).toMatchObject({ status })
})
