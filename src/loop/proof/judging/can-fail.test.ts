import { expect, it } from 'vitest'
import { baseTree, judgedPatch, patchedTree, type Edit } from '../../../../test/fixtures/judged-patch.ts'
import type { TreeId } from '../../../model/id.ts'
import type { CommandRun, Verification } from '../../../model/proof/verification.ts'
import type { Checks, Composer } from '../../ports.ts'
import { checkJudge } from './can-fail.ts'

const green: Verification = {
  status: 'passed',
  reason: '',
  tree: patchedTree,
  commands: [{ name: 'test', status: 'passed', reason: 'exit 0', exit_code: 0, output: '', duration_ms: 1 }],
  depends_on_patch: true,
  proof: {
    source: 'added',
    command: 'test',
    tests: ['adds'],
    red_tree: baseTree,
    green_tree: patchedTree,
    excerpt: '',
  },
}
const test = "import { it } from 'node:test'\nimport { add } from '../src/a.js'\nit('adds', () => add())\n"
const edits: readonly Edit[] = [
  ['src/a.js', 'export const add = 1\n', 'export const add = 2\n'],
  ['test/a.test.js', test, test],
]
const command = { name: 'test', run: 'node --test', timeout_ms: 1000, paths: [] }

/** What a runner says that runs every test of a tree; where `failing` says no, none of them is ever red. */
async function judge(failing: (tree: TreeId) => boolean, given = edits) {
  const { patch, base, ports, signal } = judgedPatch(given.slice(0, 1))
  const { ports: all } = judgedPatch(given)
  const planted = new Map<TreeId, { readonly of: TreeId; readonly text: string }>()
  const composer = {
    async add(tree, files) {
      const id = `${planted.size + 7}`.repeat(40) as TreeId
      planted.set(id, { of: tree, text: [...files.values()].join('\n') })
      return id
    },
  } satisfies Pick<Composer, 'add'> as unknown as Composer
  const checks: Checks = {
    async run({ revision }) {
      const added = planted.get(revision.tree)
      const names = added && failing(added.of) ? [...added.text.matchAll(/^it\('([^']+)'/gm)] : []
      return [runOf(names.map(([, name = '']) => name))]
    },
  }
  const tools = { ...ports, ...all, composer, checks, hash: () => '0123456789abcdef0123' }
  return checkJudge(green, { patch, base, commands: [command], signal }, tools)
}

const runOf = (failed: readonly string[]): CommandRun => ({
  name: 'test',
  run: command.run,
  ended: 'exited',
  exit_code: failed.length > 0 ? 1 : 0,
  output: '',
  tests: {
    format: 'tap',
    tests: failed.map((name) => ({ name, status: 'failed', kind: 'test' })),
    complete: true,
    failures_named: true,
    ran: failed.length,
  },
  duration_ms: 1,
  flaky: false,
})

it('checks that fail for a planted test with the patch can fail, and the proof stays', async () => {
  expect(await judge(() => true)).toMatchObject({
    status: 'passed',
    judge: { status: 'passed' },
    proof: green.proof,
  })
})

it('checks that fail for it on the base alone judge nothing any more', async () => {
  const judged = await judge((tree) => tree === baseTree)
  expect(judged).toMatchObject({
    status: 'not_evaluated',
    reason: expect.stringContaining('no longer fail'),
    depends_on_patch: true,
  })
  expect(judged.proof).toBeUndefined()
})

it('checks that fail for it nowhere stay green, and prove nothing beyond that', async () => {
  const judged = await judge(() => false)
  expect(judged).toMatchObject({ status: 'passed', judge: { status: 'not_applicable' } })
  expect(judged.proof).toBeUndefined()
})

it('where no test loads what was changed, nothing is planted', async () => {
  const judged = await judge(() => true, edits.slice(0, 1))
  expect(judged).toMatchObject({ status: 'passed', judge: { status: 'not_applicable' } })
})
