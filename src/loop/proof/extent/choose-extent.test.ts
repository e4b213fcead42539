import { describe, expect, it } from 'vitest'
import { patchFile } from '../../../../test/fixtures/attempt-samples.ts'
import type { Revision } from '../../../model/attempt/attempt.ts'
import type { CommitId, TreeId } from '../../../model/id.ts'
import { createImportGraph } from '../../../model/proof/import-graph.ts'
import type { PatchFile } from '../../../model/proof/patch.ts'
import type { CheckCommand, CommandRun } from '../../../model/proof/verification.ts'
import type { Ports } from '../../ports.ts'
import { chooseExtent, type ExtentRequest } from './choose-extent.ts'

const base: Revision = { commit: 'c' as CommitId, tree: 'base' as TreeId }
const patched = 'patched' as TreeId
const { signal } = new AbortController()

const imports = new Map<string, readonly string[]>([
  ['src/a.ts', []],
  ['src/b.ts', []],
  ['src/c.ts', []],
  ['src/untested.ts', []],
  ...['a', 'b', 'c', 'd', 'e'].map((name) => [`test/${name}.test.ts`, [`src/${name}.ts`]] as const),
])

const test = { name: 'test', run: 'npx vitest run', timeout_ms: 1, paths: [] }
const lint = { name: 'lint', run: 'npm run lint', timeout_ms: 1, paths: [] }

/** What the commands say on the base; `red` names lines that fail, or begin with these words. */
function runOf({ name, run }: CheckCommand, red: string | undefined): CommandRun {
  const isRed = red !== undefined && run.startsWith(red)
  const status = isRed ? ('failed' as const) : ('passed' as const)
  const tests = { format: 'vitest', complete: true, failures_named: true, ran: 1 }
  return {
    name,
    run,
    ended: 'exited',
    exit_code: isRed ? 1 : 0,
    output: '',
    tests: name === 'lint' ? null : { ...tests, tests: [{ name: 'x', status, kind: 'test' }] },
    duration_ms: 1,
    flaky: false,
  }
}

interface Scene extends Partial<Omit<ExtentRequest, 'patch'>> {
  readonly files?: readonly PatchFile[]
  readonly commands?: readonly CheckCommand[]
  readonly red?: string
}

async function choose({
  files = [patchFile('src/a.ts')],
  commands = [lint, test],
  red,
  ...given
}: Scene = {}) {
  const ran: string[] = []
  const added = files.flatMap(({ path, status }) => (status === 'added' ? [path] : []))
  const ports = {
    trees: {
      list: async (tree: TreeId) => new Set([...imports.keys(), ...(tree === patched ? added : [])]),
      readMany: async () => new Map(),
    },
    imports: {
      graphOf: async (tree: TreeId) =>
        createImportGraph(
          tree === patched
            ? new Map([...imports, ...added.map((path) => [path, ['src/a.ts']] as const)])
            : imports,
        ),
    },
  } as unknown as Pick<Ports, 'trees' | 'imports'>
  const verifier = {
    commandsFor: () => commands,
    run: async ({ tree }: Revision, asked: readonly CheckCommand[]) => {
      ran.push(...asked.map(({ run }) => `${tree}: ${run}`))
      return asked.map((command) => runOf(command, red))
    },
  }
  const patch = { base_tree: base.tree, tree: patched, files, refused: [] }
  const request = { strategy: 'affected' as const, borrowed: [], approved: [], wasRedTogether: false }
  const chosen = await chooseExtent({ ...request, ...given, patch, base, signal }, verifier, ports)
  const runs = async (tree: TreeId) => (await chosen.commandsOn?.(tree))?.map(({ run }) => run)
  return { extent: chosen.extent, onBase: await runs(base.tree), onPatch: await runs(patched), ran }
}

describe('affected', () => {
  it('runs the tests that the change reaches, where they are there, and every other command as it is', async () => {
    const added = patchFile('test/new.test.ts', { status: 'added' })
    expect(await choose({ files: [patchFile('src/a.ts'), added] })).toMatchObject({
      extent: { runs: 'affected', files: ['test/a.test.ts', 'test/new.test.ts'] },
      onBase: ['npm run lint', 'npx vitest run test/a.test.ts'],
      onPatch: ['npm run lint', 'npx vitest run test/a.test.ts test/new.test.ts'],
    })
  })

  it('does not mind what no check loads', async () => {
    const files = [patchFile('src/a.ts'), patchFile('CHANGELOG.md')]
    expect((await choose({ files })).extent?.runs).toBe('affected')
  })

  it.each<readonly [string, Scene]>([
    [
      'the patch changes test/b.test.ts, which the checks depend on',
      { files: [patchFile('test/b.test.ts')] },
    ],
    ['the patch changes db.sql, which the checks depend on', { approved: ['db.sql'] }],
    ["the patch changes src/b.ts beside the finding's file", { borrowed: ['src/b.ts'] }],
    ['src/a.ts is a link', { files: [patchFile('src/a.ts', { link_target: 'b.ts' })] }],
    ['an earlier patch for this issue was red on the train', { wasRedTogether: true }],
    ['nobody can read what loads data.json', { files: [patchFile('data.json')] }],
    ['no test of the base loads what was changed', { files: [patchFile('src/untested.ts')] }],
    [
      'the change reaches 3 of 5 files of tests',
      { files: ['a', 'b', 'c'].map((name) => patchFile(`src/${name}.ts`)) },
    ],
    ['no command is known to run tests', { commands: [lint] }],
    ['test is red on the base', { red: 'npx vitest run' }],
    [
      'nobody knows how to give files of tests to test',
      { commands: [{ ...test, run: 'make test && vitest' }] },
    ],
    [
      'by themselves, the tests that the change reaches are not green (test) on the base',
      { red: 'npx vitest run test/' },
    ],
  ])('runs everything, since %s', async (reason, given) => {
    expect(await choose(given)).toMatchObject({
      extent: { runs: 'whole', reason: `all tests ran: ${reason}` },
      onBase: undefined,
    })
  })
})

describe('together', () => {
  const strategy = 'together'

  it('runs nothing but the tests that the patch adds', async () => {
    const added = patchFile('test/new.test.ts', { status: 'added' })
    expect(await choose({ strategy })).toMatchObject({ extent: { runs: 'none' }, onPatch: undefined })
    expect(await choose({ strategy, files: [patchFile('src/a.ts'), added] })).toMatchObject({
      extent: { runs: 'none', files: ['test/new.test.ts'] },
      onPatch: ['npx vitest run test/new.test.ts'],
    })
  })

  it.each<readonly [string, Scene]>([
    ['lint is not green on the base', { red: 'npm run lint' }],
    ['data.json is no program text', { files: [patchFile('data.json')] }],
    ["the patch changes src/b.ts beside the finding's file", { borrowed: ['src/b.ts'] }],
  ])('runs everything, since %s', async (reason, given) => {
    expect((await choose({ strategy, ...given })).extent).toMatchObject({
      runs: 'whole',
      reason: `all tests ran: ${reason}`,
    })
  })
})

it('each runs everything and says nothing of it', async () => {
  expect(await choose({ strategy: 'each' })).toEqual({
    extent: undefined,
    onBase: undefined,
    onPatch: undefined,
    ran: [],
  })
})
