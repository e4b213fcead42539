import { describe, expect, it } from 'vitest'
import type { Verification } from '../../model/proof/verification.ts'
import { baseTree, judgedPatch, patchedTree } from '../../../test/fixtures/judged-patch.ts'
import { runGates } from './run-gates.ts'
import { aloneGate } from './alone.ts'

const verification: Verification = {
  status: 'passed',
  reason: '1 of 1 green',
  tree: patchedTree,
  commands: [],
  depends_on_patch: true,
}
const judge = async (alone?: Verification['alone']) => {
  const verified = {
    verification: { ...verification, ...(alone && { alone }) },
    minEvidence: 'E1',
    claim: null,
  } as const
  const [gate] = await runGates({ patch: judgedPatch([]), verified }, { list: [aloneGate] })
  return gate
}

describe('the gate that asks for a fix without what it borrowed', () => {
  it('has nothing to ask where the patch changes nothing else', async () => {
    expect(await judge()).toMatchObject({ status: 'not_applicable' })
  })

  it('is passed when the checks are as green without the other files', async () => {
    const alone = { tree: baseTree, paths: ['docs/a.html'], status: 'passed', reason: '' } as const
    expect(await judge(alone)).toEqual({
      name: 'alone',
      status: 'passed',
      reason: 'as green without docs/a.html',
    })
  })

  it('asks a person when they are not, and names the files', async () => {
    const alone = {
      tree: baseTree,
      paths: ['support/assert.mjs'],
      status: 'failed',
      reason: 'test: red is adds',
    } as const
    expect(await judge(alone)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/support\/assert\.mjs; without it: test: red is adds/),
      paths: ['support/assert.mjs'],
      asks: { whom: 'person' },
    })
  })
})
