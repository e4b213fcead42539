import { describe, expect, it } from 'vitest'
import { createImportGraph } from '../../model/proof/import-graph.ts'
import { judgedPatch, type Edit } from '../../../test/fixtures/judged-patch.ts'
import { chooseBorrowed, findBorrowedPaths } from './borrowed-paths.ts'

type Imports = Readonly<Record<string, readonly string[]>>

const base: Imports = {
  'src/cited.ts': ['src/util.ts'],
  'src/util.ts': [],
  'src/index.ts': ['src/cited.ts'],
  'src/other.ts': [],
  'src/user.ts': ['src/other.ts'],
  'support/assert.ts': [],
  'support/wrap.ts': ['src/cited.ts'],
  'scripts/rules.ts': ['src/cited.ts'],
  'scripts/check.ts': ['scripts/rules.ts'],
  'test/cited.test.ts': ['src/cited.ts', 'support/assert.ts', 'support/wrap.ts'],
}

function borrowed(
  edits: readonly Edit[],
  { cited = ['src/cited.ts'], after = base }: { cited?: readonly string[]; after?: Imports } = {},
) {
  const { patch, changes } = judgedPatch(edits)
  const graphs = {
    before: createImportGraph(new Map(Object.entries(base))),
    after: createImportGraph(new Map(Object.entries(after))),
    checks: new Set(['scripts/check.ts']),
  }
  return chooseBorrowed(
    edits.map(([path]) => path).filter((path) => !cited.includes(path)),
    { patch, changes, cited },
    graphs,
  )
}
const edit = (path: string): Edit => [path, 'a\n', 'b\n']
const added = (path: string): Edit => [path, null, 'b\n']

describe('what of a patch its fix has nothing to do with', () => {
  it('is not what the cited file imports, nor source that imports it', () => {
    expect(borrowed([edit('src/cited.ts'), edit('src/util.ts'), edit('src/index.ts')])).toEqual([])
  })

  it.each([
    'support/assert.ts',
    'support/wrap.ts',
    'src/other.ts',
    'scripts/rules.ts',
    'fixtures/golden.json',
    'package.json',
    'pytest.toml',
  ])('is %s', (path) => {
    expect(borrowed([edit('src/cited.ts'), edit(path)])).toEqual([path])
  })

  it('is what the cited file loads from now on, where its tests loaded it before', () => {
    const after = { ...base, 'src/cited.ts': ['src/other.ts'] }
    const edits = [edit('src/cited.ts'), edit('src/other.ts')]
    expect(borrowed(edits, { after })).toEqual([])
    const judging = { ...base, 'test/cited.test.ts': ['src/cited.ts', 'src/other.ts'] }
    const { patch, changes } = judgedPatch(edits)
    const graphs = {
      before: createImportGraph(new Map(Object.entries(judging))),
      after: createImportGraph(new Map(Object.entries({ ...judging, ...after }))),
      checks: new Set<string>(),
    }
    const cited = ['src/cited.ts']
    expect(chooseBorrowed(['src/other.ts'], { patch, changes, cited }, graphs)).toEqual(['src/other.ts'])
  })

  it('is not a new module that the cited file now loads, nor a new test', () => {
    const after = {
      ...base,
      'src/cited.ts': ['src/new.ts'],
      'src/new.ts': [],
      'test/new.test.ts': ['src/cited.ts'],
    }
    expect(
      borrowed([edit('src/cited.ts'), added('src/new.ts'), added('test/new.test.ts')], { after }),
    ).toEqual([])
  })

  it('is a new file among the tests that an old test now loads instead of another', () => {
    const after = { ...base, 'test/helper.ts': [], 'test/cited.test.ts': ['test/helper.ts'] }
    expect(borrowed([edit('src/cited.ts'), added('test/helper.ts')], { after })).toEqual(['test/helper.ts'])
  })

  it('is a helper of tests that the cited file is made to load, but not another module of the program', () => {
    const after = { ...base, 'src/cited.ts': ['support/assert.ts', 'src/other.ts'] }
    const edits = [edit('src/cited.ts'), edit('support/assert.ts'), edit('src/other.ts')]
    expect(borrowed(edits, { after })).toEqual(['support/assert.ts'])
  })

  it('is not an entry file that only offers more', () => {
    const entry: Edit = [
      'src/user.ts',
      "import './other.ts'\n",
      "import './other.ts'\nexport { a } from './cited.ts'\n",
    ]
    const redirect: Edit = ['src/user.ts', "export * from './other.ts'\n", "export * from './fake.ts'\n"]
    expect(borrowed([entry])).toEqual([])
    expect(borrowed([redirect])).toEqual(['src/user.ts'])
  })

  it('is never source where nobody reads the language of the cited file, or none is cited', () => {
    const edits = [edit('a/b.go'), edit('a/c.go'), edit('a/golden.txt'), edit('a/testutil/assert.go')]
    expect(borrowed(edits, { cited: ['a/b.go'] })).toEqual(['a/golden.txt', 'a/testutil/assert.go'])
    expect(borrowed([edit('src/other.ts'), edit('support/assert.ts')], { cited: [] })).toEqual([
      'support/assert.ts',
    ])
  })

  it('is not what a person allowed, what the base has anyway, or what is for people; then no import is read', async () => {
    const { patch, changes, signal, ports } = judgedPatch([
      edit('src/cited.ts'),
      edit('test/cited.test.ts'),
      edit('CHANGELOG.md'),
      edit('fixtures/a.json'),
    ])
    const approved = ['fixtures/a.json']
    const request = { patch, changes, cited: ['src/cited.ts'], approved, commands: [], signal }
    const graphOf = () => Promise.reject(new Error('imports were read'))
    expect(
      await findBorrowedPaths(request, { trees: ports.trees, imports: { graphOf, packagesOf: graphOf } }),
    ).toEqual([])
  })
})
