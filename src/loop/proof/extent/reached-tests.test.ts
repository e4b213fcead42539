import { expect, it } from 'vitest'
import { createImportGraph } from '../../../model/proof/import-graph.ts'
import { findReachedTests } from './reached-tests.ts'

type Imports = Readonly<Record<string, readonly string[]>>

function reached(changed: readonly string[], before: Imports, after: Imports = before) {
  return findReachedTests(changed, {
    before: createImportGraph(new Map(Object.entries(before))),
    after: createImportGraph(new Map(Object.entries(after))),
    paths: new Set(Object.keys(before)),
  })
}

const tree: Imports = {
  'src/a.ts': [],
  'src/b.ts': ['src/a.ts'],
  'src/c.ts': [],
  'test/help.ts': ['src/a.ts'],
  'test/b.test.ts': ['src/b.ts'],
  'test/helped.test.ts': ['test/help.ts'],
  'test/c.test.ts': ['src/c.ts'],
  'test/plain.ts': ['src/c.ts'],
}

it('the search for reached tests names the files of tests that load a changed file, over any number of steps, and no file that only helps them', () => {
  expect(reached(['src/a.ts'], tree)).toEqual({ files: ['test/b.test.ts', 'test/helped.test.ts'] })
})

it('the search for reached tests takes a file in a folder of tests for one when nothing loads it, whatever its name', () => {
  expect(reached(['src/c.ts'], tree)).toEqual({ files: ['test/c.test.ts', 'test/plain.ts'] })
})

it('the search for reached tests counts what loads the file after the change, and new tests themselves', () => {
  const after = { ...tree, 'test/new.test.ts': ['src/d.ts'], 'src/d.ts': ['src/c.ts'] }
  expect(reached(['src/c.ts', 'test/new.test.ts'], tree, after)).toEqual({
    files: ['test/c.test.ts', 'test/new.test.ts', 'test/plain.ts'],
  })
})

it('the search for reached tests adds those that name what they load only while they run, themselves or by a helper', () => {
  const graph = createImportGraph(
    new Map(Object.entries({ ...tree, 'test/all.test.ts': [], 'src/plugins.ts': [] })),
    new Set(['test/all.test.ts', 'test/help.ts', 'src/plugins.ts']),
  )
  const graphs = { before: graph, after: graph, paths: new Set(Object.keys(tree)) }
  expect(findReachedTests(['src/c.ts'], graphs)).toEqual({
    files: ['test/all.test.ts', 'test/c.test.ts', 'test/helped.test.ts', 'test/plain.ts'],
  })
})

it('the search for reached tests names every test below a conftest.py that loads the file', () => {
  const python = {
    'app/db.py': [],
    'tests/unit/conftest.py': ['app/db.py'],
    'tests/unit/test_a.py': [],
    'tests/unit/deep/test_b.py': [],
    'tests/test_c.py': [],
  }
  expect(reached(['app/db.py'], python)).toEqual({
    files: ['tests/unit/deep/test_b.py', 'tests/unit/test_a.py'],
  })
})

it('cannot tell where a file is read by nobody, or where what every test loads reaches it', () => {
  expect(reached(['data/table.json'], tree)).toEqual({ untold: 'nobody can read what loads data/table.json' })
  const setup = { ...tree, 'vitest.setup.ts': ['src/b.ts'] }
  expect(reached(['src/a.ts'], setup)).toEqual({
    untold: 'vitest.setup.ts loads it, which every test depends on',
  })
})
