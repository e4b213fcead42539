import { expect, it } from 'vitest'
import type { TreeId } from '../../model/id.ts'
import { findCheckFiles } from './check-files.ts'

const tree = '0'.repeat(40) as TreeId
const scripts = {
  test: 'npm run unit && node scripts/more.mjs',
  unit: 'bash ./ci/unit.sh',
  preunit: 'node --import ./hooks.mjs --test',
  loop: 'npm run loop',
}
const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ scripts }),
  'web/package.json': JSON.stringify({ scripts: { check: 'node ../tools/check.mjs' } }),
  'broken/package.json': '{',
  ...Object.fromEntries(
    [
      'check.sh',
      'scripts/more.mjs',
      'ci/unit.sh',
      'hooks.mjs',
      'tools/check.mjs',
      'src/a.js',
      'test/a.test.mjs',
      'web/run',
    ].map((path) => [path, '']),
  ),
}
const trees = {
  readMany: (_tree: TreeId, paths: readonly string[]) =>
    Promise.resolve(
      new Map(
        paths.flatMap((path) => (path in files ? [[path, Buffer.from(files[path] ?? '')] as const] : [])),
      ),
    ),
}
const found = async (...commands: readonly string[]) =>
  [
    ...(await findCheckFiles(
      commands.map((run) => ({ run })),
      tree,
      trees,
    )),
  ].toSorted()

it.each([
  ['./check.sh', ['check.sh']],
  ['A=1 exec sh check.sh --all', ['check.sh']],
  ['node --no-warnings "tools/check.mjs"', ['tools/check.mjs']],
  ['npm test', ['ci/unit.sh', 'hooks.mjs', 'scripts/more.mjs']],
  ['cd web && ./run; npm run check', ['tools/check.mjs', 'web/run']],
  ['node --test --import=./hooks.mjs', ['hooks.mjs']],
  ['eslint src/a.js', []],
  ['node --check src/a.js', []],
  ['node --test test/a.test.mjs', []],
  ['npm run loop', []],
  ['cd broken && npm test', []],
  ['/bin/sh ../../etc/passwd', []],
])('%s runs %j', async (command, expected) => {
  expect(await found(command)).toEqual(expected)
})
