import { describe, expect, it } from 'vitest'
import { TreeId } from '../../model/id.ts'
import { createImports } from './index.ts'

const tree = TreeId.parse('a'.repeat(40))
const { signal } = new AbortController()

/** A tree of these files; `reads` counts how often a content was asked for. */
function treeOf(files: Readonly<Record<string, string>>) {
  const reads: string[] = []
  const trees = {
    blobs: async () => new Map(Object.entries(files)),
    async readMany(_: TreeId, paths: readonly string[]) {
      reads.push(...paths)
      return new Map(paths.map((path) => [path, new TextEncoder().encode(files[path])]))
    },
  }
  return { reads, imports: createImports(trees) }
}

const graphOf = (files: Readonly<Record<string, string>>) => treeOf(files).imports.graphOf(tree, signal)

describe('the import graph of a tree', () => {
  it('follows imports and importers over any number of steps, also in a circle', async () => {
    const graph = await graphOf({
      'src/a.ts': `import './b.js'`,
      'src/b.ts': `import './c'`,
      'src/c/index.js': `require('../a')`,
      'test/a.test.ts': `import '../src/a.ts'`,
      'lone.js': '',
    })
    expect([...graph.importsOf('test/a.test.ts')].toSorted()).toEqual([
      'src/a.ts',
      'src/b.ts',
      'src/c/index.js',
    ])
    expect([...graph.importersOf('src/c/index.js')].toSorted()).toEqual([
      'src/a.ts',
      'src/b.ts',
      'test/a.test.ts',
    ])
    expect([...graph.importersOf('lone.js')]).toEqual([])
  })

  it('knows whether anybody reads the language of a file', async () => {
    const graph = await graphOf({
      'a.py': '',
      'b.mjs': '',
      'c.go': 'import "d"',
      'big.js': ' '.repeat(1_000_001),
    })
    expect(['a.py', 'b.mjs', 'c.go', 'big.js', 'none.js'].filter((file) => graph.isRead(file))).toEqual([
      'a.py',
      'b.mjs',
    ])
  })

  it('finds packages of the same repository by their names, entries, exports and own names', async () => {
    const graph = await graphOf({
      'packages/one/package.json': JSON.stringify({
        name: '@x/one',
        exports: {
          '.': { types: './dist/index.d.ts', default: './dist/index.js' },
          './deep/*': './lib/*.js',
        },
        imports: { '#own': './src/own.ts' },
      }),
      'packages/one/src/index.ts': `import '#own'`,
      'packages/one/src/own.ts': '',
      'packages/one/lib/far.js': '',
      'packages/two/package.json': JSON.stringify({ name: 'two', main: 'main' }),
      'packages/two/main.cjs': `require('@x/one'); require('@x/one/deep/far'); require('lodash')`,
      'app.js': `import 'two'`,
    })
    expect([...graph.importsOf('app.js')].toSorted()).toEqual([
      'packages/one/lib/far.js',
      'packages/one/src/index.ts',
      'packages/one/src/own.ts',
      'packages/two/main.cjs',
    ])
  })

  it('follows the paths of a tsconfig, inherited ones and comments included', async () => {
    const graph = await graphOf({
      'tsconfig.base.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"], /* all */ }, }, } // end',
      'web/tsconfig.json': '{ "extends": "../tsconfig.base", "compilerOptions": { "baseUrl": "." } }',
      'web/app.tsx': `import '@/model/a'; import 'views/b'`,
      'src/model/a.ts': '',
      'web/views/b.tsx': '',
    })
    expect([...graph.importsOf('web/app.tsx')].toSorted()).toEqual(['src/model/a.ts', 'web/views/b.tsx'])
  })

  it('knows the files that put together the names of what they load', async () => {
    const graph = await graphOf({
      'a.test.js': `for (const name of names) await import(\`./src/\${name}.js\`)`,
      'b.test.js': `require(path.join(__dirname, 'b'))`,
      'c.test.js': `import c from './c.js'; await import('./d.js')`,
      'd.test.js': `expect(mocked()).toBe(import.meta.url)`,
      'test_e.py': `m = importlib.import_module(f"pkg.{name}")`,
      'test_f.py': `m = importlib.import_module("pkg.f")`,
    })
    expect([...graph.composing]).toEqual(['a.test.js', 'b.test.js', 'test_e.py'])
  })

  it('leaves out what a broken manifest and a path outside of the repository would name', async () => {
    const graph = await graphOf({
      'package.json': '{',
      'a.js': `import '../../etc/passwd'; import './package.json'`,
    })
    expect([...graph.importsOf('a.js')]).toEqual(['package.json'])
  })

  it('reads each content once, however many trees and files hold it', async () => {
    const { imports, reads } = treeOf({ 'a.js': `import './b.js'`, 'b.js': '', 'c.js': '' })
    await imports.graphOf(tree, signal)
    const first = reads.length
    await imports.graphOf(TreeId.parse('b'.repeat(40)), signal)
    expect([first, reads.length]).toEqual([2, 2])
  })
})
