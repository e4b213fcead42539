import { expect, it } from 'vitest'
import { baseTree, judgedPatch, patchedTree, type Edit } from '../../../test/fixtures/judged-patch.ts'
import type { Verification } from '../../model/proof/verification.ts'
import { keepOwnProof } from './own-proof.ts'

const green = (tests: readonly string[]): Verification => ({
  status: 'passed',
  reason: '',
  tree: patchedTree,
  commands: [],
  depends_on_patch: true,
  proof: {
    source: 'existing',
    command: 'test',
    tests,
    red_tree: baseTree,
    green_tree: patchedTree,
    excerpt: '',
  },
})
const same = (path: string, text: string): Edit => [path, text, text]
const edits: readonly Edit[] = [
  ['src/a.js', 'export const a = 1\n', 'export const a = 2\n'],
  same('src/b.js', 'export const b = 1\n'),
  same('test/a.test.js', "import { a } from '../src/a.js'\ntest('of a', () => {})\n"),
  same('test/b.test.js', "import { b } from '../src/b.js'\ntest('of b', () => {})\n"),
  same(
    'test/cli.test.js',
    "import { execFile } from 'node:child_process'\ntest('starts', () => execFile('node', []))\n",
  ),
]

async function kept(tests: readonly string[]) {
  const { patch } = judgedPatch(edits.slice(0, 1))
  const { ports, signal } = judgedPatch(edits)
  return (await keepOwnProof(green(tests), { patch, signal }, ports)).proof?.tests ?? null
}

it('a test that loads what was changed stays in the proof, and one that loads nothing of it goes', async () => {
  expect(await kept(['of a', 'of b'])).toEqual(['of a'])
})

it('tests of other files alone prove nothing', async () => {
  expect(await kept(['of b'])).toBeNull()
})

it('a test that starts programs, and one that stands in no file by its title, may be about the change', async () => {
  expect(await kept(['starts', 'put together'])).toEqual(['starts', 'put together'])
})
