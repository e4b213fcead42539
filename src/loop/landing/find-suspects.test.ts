import { expect, it } from 'vitest'
import { patchFile } from '../../../test/fixtures/attempt-samples.ts'
import type { TreeId } from '../../model/id.ts'
import { createImportGraph } from '../../model/proof/import-graph.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { Accepted } from './compose-train.ts'
import { findSuspects, type SuspectPorts } from './find-suspects.ts'

const names = ['a', 'b', 'c', 'd', 'e']
const train = names.map(
  (name) => ({ issue_code: name, patch: { files: [patchFile(`src/${name}.ts`)] } }) as unknown as Accepted,
)
const graph = createImportGraph(
  new Map<string, readonly string[]>([
    ...names.map((name) => [`src/${name}.ts`, []] as const),
    ['src/index.ts', names.map((name) => `src/${name}.ts`)],
    ['test/b.test.ts', ['src/b.ts']],
    ['test/all.test.ts', ['src/index.ts']],
  ]),
)
const texts = new Map([
  ['test/b.test.ts', "it('bees are busy')"],
  ['test/all.test.ts', "it('everything works')"],
])
const ports = {
  trees: {
    list: async () => new Set(texts.keys()),
    readMany: async () => new Map([...texts].map(([path, text]) => [path, new TextEncoder().encode(text)])),
  },
  imports: { graphOf: async () => graph },
} as unknown as SuspectPorts

async function suspected(failing: readonly string[], output = '') {
  const verification: Verification = {
    status: 'failed',
    reason: '',
    tree: 'tree' as TreeId,
    commands: [
      {
        name: 'test',
        status: 'failed',
        reason: '',
        exit_code: 1,
        output,
        failing: failing.map((name) => ({ name, message: '', is_new: name !== 'old' })),
        duration_ms: 1,
      },
    ],
    depends_on_patch: true,
  }
  const { signal } = new AbortController()
  const found = await findSuspects(verification, { train, signal }, ports)
  return [...found].map(({ issue_code }) => issue_code)
}

it('suspects are those whose files the failing output names', async () => {
  expect(await suspected(['bees are busy'], 'at src/c.ts:3')).toEqual(['c'])
})

it('suspects are those whose files a failing test loads, where the output names none', async () => {
  expect(await suspected(['bees are busy'])).toEqual(['b'])
})

it('suspects are nobody where a test loads them all, was red before, or stands nowhere', async () => {
  expect(await suspected(['everything works'])).toEqual([])
  expect(await suspected(['old', 'never heard of'])).toEqual([])
})
