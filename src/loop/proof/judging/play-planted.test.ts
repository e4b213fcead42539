import { describe, expect, it } from 'vitest'
import { baseTree, judgedPatch, patchedTree } from '../../../../test/fixtures/judged-patch.ts'
import type { TreeId } from '../../../model/id.ts'
import type { PlantedTest } from '../../../model/proof/planting/plant-test.ts'
import type { CommandRun } from '../../../model/proof/verification.ts'
import type { Checks, Composer } from '../../ports.ts'
import { playPlanted } from './play-planted.ts'

const planted = (given: Partial<PlantedTest> = {}): PlantedTest => ({
  path: 'test/a.test.js',
  text: 'planted',
  titles: ['adds'],
  unsure: [],
  inverted: [],
  ...given,
})

type Failing = (at: {
  readonly tree: TreeId
  readonly isPlanted: boolean
  readonly run: string
}) => readonly string[]

/** A runner that reports what it is told to, on trees with and without what was planted. */
async function play(
  failing: Failing,
  { run = 'npx mocha', beside = [] as string[], choices = [planted()], proving = [] as string[] } = {},
) {
  const { base, ports, signal } = judgedPatch([['test/a.test.js', 'a', 'b']])
  const trees = new Map<TreeId, TreeId>()
  const composer = {
    async add(tree) {
      const id = (tree === baseTree ? '8' : '9').repeat(40) as TreeId
      trees.set(id, tree)
      return id
    },
  } satisfies Pick<Composer, 'add'> as unknown as Composer
  const asked: string[] = []
  const checks: Checks = {
    async run({ revision: { tree }, commands: [command] }) {
      asked.push(command?.run ?? '')
      const of = trees.get(tree)
      return [runOf(failing({ tree: of ?? tree, isPlanted: of !== undefined, run: command?.run ?? '' }))]
    },
  }
  const commands = [{ name: 'test', run, timeout_ms: 1000, paths: [] }]
  const request = { planted: [choices], proving, tree: patchedTree, beside, base, commands, signal }
  return { judge: await playPlanted(request, { ...ports, composer, checks }), asked }
}

const runOf = (failed: readonly string[]): CommandRun => ({
  name: 'test',
  run: '',
  ended: 'exited',
  exit_code: failed.length > 0 ? 1 : 0,
  output: '',
  tests: {
    format: 'mocha',
    tests: failed.map((name) => ({ name, status: 'failed', kind: 'test' })),
    complete: true,
    failures_named: true,
    ran: failed.length,
  },
  duration_ms: 1,
  flaky: false,
})

describe('a planted test', () => {
  it('runs with the tests that the patch brings, as those may share its process', async () => {
    const { judge, asked } = await play(
      ({ tree, run }) => (tree === patchedTree && run.includes('new') ? [] : ['adds']),
      {
        beside: ['test/new.test.js'],
      },
    )
    expect(judge).toMatchObject({
      status: 'not_evaluated',
      reason: expect.stringContaining('no longer fail'),
    })
    expect(asked).toContain('npx mocha test/new.test.js test/a.test.js')
    expect(asked).toContain('npx mocha test/a.test.js')
  })

  it('is not seen in the failure of another file with the same title', async () => {
    const others = ['test/b.test.js > adds', 'test/c.test.js > adds']
    const { judge } = await play(
      ({ tree }) => [...others, ...(tree === baseTree ? ['test/a.test.js > adds'] : [])],
      {
        run: 'node run-all.js',
      },
    )
    expect(judge).toMatchObject({ status: 'not_evaluated' })
  })

  it('is not seen in failures that were there before, where names tell no file', async () => {
    const { judge } = await play(
      ({ tree, isPlanted }) => ['adds', 'adds #2', ...(isPlanted && tree === baseTree ? ['adds #3'] : [])],
      { run: 'node run-all.js' },
    )
    expect(judge).toMatchObject({ status: 'not_evaluated' })
  })

  it('that may not reach what it alters tells nothing where it was red before', async () => {
    const choices = [planted({ titles: ['keeps'], unsure: ['adds'] })]
    const failing: Failing = ({ tree, isPlanted }) => [
      ...(isPlanted ? ['keeps'] : []),
      ...(tree === baseTree ? ['adds'] : []),
    ]
    expect((await play(failing, { choices })).judge).toMatchObject({ status: 'passed' })
  })

  it('gives way to a plainer one where the base does not run it', async () => {
    const choices = [planted({ titles: ['never'] }), planted({ titles: ['adds'] })]
    expect((await play(() => ['adds'], { choices })).judge).toMatchObject({ status: 'passed' })
    expect((await play(() => [], { choices })).judge).toMatchObject({ status: 'not_applicable' })
  })

  it('that proves a fix must fail turned around: who lets wrong values pass cannot make it', async () => {
    const choices = [planted({ inverted: [{ title: 'adds 140', of: 'adds' }] })]
    const given = { choices, proving: ['suite > adds'] }
    expect((await play(() => ['adds', 'adds 140'], given)).judge.status).toBe('passed')
    expect((await play(() => ['adds'], given)).judge).toMatchObject({
      status: 'not_evaluated',
      reason: expect.stringContaining('although the values that it compares differ: adds'),
    })
    expect((await play(() => ['adds'], { choices, proving: ['other'] })).judge.status).toBe('passed')
  })
})
