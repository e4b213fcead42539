import { describe, expect, test } from 'vitest'
import { findTangles } from '../scripts/check-folders.ts'
import { findBareBooleans, findCrowded, findDoubledNames } from '../scripts/check-house.ts'
import { findBreaches } from '../scripts/check-layers-scan.ts'

const reasonsFor = (file: string, text: string): readonly string[] =>
  findBreaches(file, text).map((breach) => breach.slice(breach.indexOf(' ') + 1))

describe('the layer check', () => {
  test.each([
    ['src/model/a.ts', 'node:fs', "src/model may import nothing of Node's, not node:fs"],
    ['src/model/a.ts', 'fs/promises', "src/model may import nothing of Node's, not node:fs/promises"],
    ['src/model/a.ts', 'picomatch', 'src/model may import zod, not the package picomatch'],
    ['src/model/a.ts', '../loop/ports.ts', 'src/model may import its own files, not src/loop/ports.ts'],
    ['src/loop/prompts/a.ts', 'node:path', "src/loop may import nothing of Node's, not node:path"],
    ['src/loop/a.ts', 'yaml', 'src/loop may import diff, picomatch, not the package yaml'],
    ['src/loop/a.ts', '../adapters/store/b.ts', /^src\/loop may import src\/model, its own files, not/],
    [
      'src/adapters/store/a.ts',
      '../queue/b.ts',
      /^src\/adapters\/store may import .*, not src\/adapters\/queue\/b.ts$/,
    ],
    ['src/adapters/store/deep/a.ts', '../../queue/b.ts', /not src\/adapters\/queue\/b.ts$/],
    [
      'src/adapters/agents/codex/a.ts',
      '../claude/b.ts',
      /^src\/adapters\/agents\/codex may import .*, not src\/adapters\/agents\/claude\/b.ts$/,
    ],
    ['src/adapters/agents/rules/pack/a.ts', '../../replay/b.ts', /not src\/adapters\/agents\/replay\/b.ts$/],
    ['src/adapters/agents/program/a.ts', '../codex/b.ts', /not src\/adapters\/agents\/codex\/b.ts$/],
    ['src/adapters/agents/codex/a.ts', '../index.ts', /not src\/adapters\/agents\/index.ts$/],
    ['src/adapters/store/a.ts', '../../loop/gate.ts', /not src\/loop\/gate.ts$/],
    [
      'src/adapters/store/a.ts',
      'node:child_process',
      'only src/adapters/process may import node:child_process',
    ],
    ['src/adapters/store/a.ts', 'execa', 'only src/adapters/process may import execa'],
    ['src/app/a.ts', '../cli/main.ts', /not src\/cli\/main.ts$/],
    ['src/app/a.ts', '../server/a.ts', /not src\/server\/a.ts$/],
    ['src/app/a.ts', 'child_process', 'only src/adapters/process may import node:child_process'],
    ['src/client/a.ts', '../loop/ports.ts', /not src\/loop\/ports.ts$/],
    ['src/client/a.ts', 'zod', 'src/client may import no package, not the package zod'],
    ['src/server/a.ts', '../cli/output.ts', /not src\/cli\/output.ts$/],
    ['src/cli/a.ts', '../index.ts', 'src/index.ts is for users of the library'],
    ['src/cli/a.ts', '../model.ts', 'src/model.ts is for users of the library'],
    [
      'src/model.ts',
      './loop/ports.ts',
      'src/model.ts may import src/model, its own files, not src/loop/ports.ts',
    ],
    ['src/cli/a.ts', '../../test/fixtures/a.ts', /not test\/fixtures\/a.ts$/],
    [
      'web/src/a.tsx',
      '../../src/app/start.ts',
      /^web may import src\/model, src\/client, its own files, not/,
    ],
  ])('forbids %s to import %s', (file, specifier, reason) => {
    expect(reasonsFor(file, `import { a } from '${specifier}'\n`)).toEqual([
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    ])
  })

  test.each([
    ['src/model/a.ts', ['zod', 'zod/v4', './b.ts']],
    ['src/loop/prompts/a.ts', ['picomatch', '../../model/b.ts', '../ports.ts']],
    [
      'src/adapters/store/deep/a.ts',
      ['kysely', 'node:fs', '../b.ts', '../../process/run.ts', '../../../loop/ports.ts'],
    ],
    [
      'src/adapters/agents/codex/a.ts',
      ['./b.ts', '../program/b.ts', '../definition/b.ts', '../../process/run.ts'],
    ],
    ['src/adapters/agents/index.ts', ['./codex/definition.ts', './definition/definition.ts']],
    ['src/adapters/process/a.ts', ['execa', 'node:child_process', './b.ts']],
    ['src/server/a.ts', ['hono', 'node:http', '../app/a.ts', '../model/b.ts']],
    ['src/cli/commands/a.ts', ['commander', '../../server/a.ts', '../../client/a.ts', '../../tui/a.ts']],
  ])('lets %s import what is below it', (file, specifiers) => {
    const text = specifiers.map((specifier) => `import '${specifier}'`).join('\n')
    expect(findBreaches(file, text)).toEqual([])
  })

  test.each([
    `import fs from 'node:fs'`,
    `import type { Stats } from "node:fs"`,
    `import {\n  readFile,\n  stat,\n} from 'node:fs'`,
    `import 'node:fs'`,
    `export * from 'node:fs'`,
    `export { readFile } from 'node:fs'`,
    `const a = await import('node:fs')`,
    `type A = import('node:fs').Stats`,
    `const a = require('node:fs')`,
    `const a = process.getBuiltinModule('fs')`,
  ])('sees %j', (text) => {
    expect(findBreaches('src/loop/a.ts', text)).toHaveLength(1)
  })

  test('says where the import stands', () => {
    const text = `/** import a from 'node:fs' */\n// import b from 'node:fs'\n\nimport {\n  c,\n} from 'node:fs'\n`
    expect(findBreaches('src/loop/a.ts', text)).toEqual([
      "src/loop/a.ts:6 src/loop may import nothing of Node's, not node:fs",
    ])
  })

  test('forbids the inner layers an import that is computed at run time', () => {
    expect(reasonsFor('src/loop/a.ts', 'await import(name)')).toEqual([
      'src/loop may import by fixed names only',
    ])
    expect(reasonsFor('src/app/a.ts', 'await import(name)')).toEqual([])
  })

  test('reports a file outside every layer', () => {
    expect(findBreaches('src/utils/a.ts', '')).toEqual(['src/utils/a.ts:1 no layer holds this file'])
  })
})

describe('folders', () => {
  const imports = (edges: Record<string, readonly string[]>) => new Map(Object.entries(edges))

  test('two folders that import each other are a circle, also a folder and the one inside it', () => {
    const circle = imports({ 'src/a/x.ts': ['src/a/b/y.ts'], 'src/a/b/y.ts': ['src/a/z.ts'] })
    expect(findTangles(circle, [])).toEqual(['folders in a circle: src/a, src/a/b'])
  })

  test('a circle over several folders is found, one direction is none', () => {
    const circle = imports({
      'a/1.ts': ['b/1.ts'],
      'b/2.ts': ['c/1.ts'],
      'c/2.ts': ['a/2.ts'],
      'd/1.ts': ['a/1.ts'],
    })
    expect(findTangles(circle, [])).toEqual(['folders in a circle: a, b, c'])
    expect(findTangles(imports({ 'a/1.ts': ['b/1.ts'], 'b/2.ts': ['c/1.ts'] }), [])).toEqual([])
  })

  test('a known circle passes until it is smaller', () => {
    const circle = imports({ 'a/1.ts': ['b/1.ts'], 'b/2.ts': ['a/2.ts'] })
    expect(findTangles(circle, [['a', 'b']])).toEqual([])
    expect(findTangles(circle, [['a', 'b', 'c']])).toEqual([
      'known tangle is smaller now, shrink it in scripts/check-folders.ts: a, b, c',
    ])
  })
})

describe('the house', () => {
  test('a folder holds at most fifteen files, not counting those in folders below', () => {
    const files = Array.from({ length: 15 }, (_, index) => `src/a/${index}.ts`)
    expect(findCrowded([...files, 'src/a/b/c.ts'])).toEqual([])
    expect(findCrowded([...files, 'src/a/more.ts'])).toEqual([
      'src/a has 16 files: at most 15 belong into one folder',
    ])
  })

  test('a name that two files export is reported; a schema with its type, and a name passed on, are not', () => {
    const texts = new Map([
      ['src/a.ts', 'export const Usage = z.object({})\nexport type Usage = z.infer<typeof Usage>'],
      ['src/b.ts', "export type { Usage } from './a.ts'\nexport async function read() {}"],
    ])
    expect(findDoubledNames(texts)).toEqual([])
    expect(findDoubledNames(new Map([...texts, ['src/c.ts', 'export function read() {}']]))).toEqual([
      'read is exported by several files: src/b.ts, src/c.ts',
    ])
  })

  test.each([
    'function look(isForced: boolean) {}',
    'const look = (at: string, isForced: boolean): void => {}',
    'function look(\n  isForced: boolean,\n) {}',
    'type Look = (isForced?: boolean) => void',
  ])('%j has a bare boolean', (text) => {
    expect(findBareBooleans(new Map([['src/a.ts', text]]))).toEqual([
      expect.stringMatching(/^src\/a\.ts:[12] the parameter isForced is a bare boolean/),
    ])
  })

  test.each([
    'function look({ isForced }: { readonly isForced: boolean }) {}',
    'interface Look {\n  readonly isForced: boolean\n}',
    'function isForced(at: string): boolean {}',
  ])('%j has none', (text) => {
    expect(findBareBooleans(new Map([['src/a.ts', text]]))).toEqual([])
  })
})
