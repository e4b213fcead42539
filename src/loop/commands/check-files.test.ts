import { expect, it } from 'vitest'
import type { TreeId } from '../../model/id.ts'
import { findCheckFiles } from './check-files.ts'

const tree = '0'.repeat(40) as TreeId
const scripts = {
  test: 'npm run unit && node scripts/more.mjs',
  unit: 'bash ./ci/unit.sh',
  preunit: 'node --import ./hooks.mjs --test',
  loop: 'npm run loop',
  'check:one': 'node tools/one',
}
const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ scripts }),
  'web/package.json': JSON.stringify({ scripts: { check: 'node ../tools/check.mjs' } }),
  'broken/package.json': '{',
  'packages/core/package.json': JSON.stringify({ scripts: { lint: 'node ./lint.cjs' } }),
  'ci/all.sh':
    '#!/bin/sh\nset -e\n# node src/a.js\nif ! ./check.sh; then exit 1; fi\nnode \\\n  tools/check.mjs src/a.js\n',
  'ci/run': '#!/usr/bin/env bash\n. ci/unit.sh\n',
  Makefile: 'check: build\n\t@node tools/check.mjs\n',
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
      'tools/one.js',
      'tools/audit.py',
      'packages/core/lint.cjs',
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
  list: () => Promise.resolve(new Set(Object.keys(files))),
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
  ['node --import="./hooks.mjs" src/b.js', ['hooks.mjs']],
  ['node -r ./hooks.mjs tools/check.mjs', ['hooks.mjs', 'tools/check.mjs']],
  ['node --test-reporter spec tools/check.mjs', ['tools/check.mjs']],
  ['node tools/one', ['tools/one.js']],
  ['python3 -m tools.audit', ['tools/audit.py']],
  ['bun run tools/check.mjs', ['tools/check.mjs']],
  ['sh -c "cd web && ./run"', ['web/run']],
  [`bash -ec 'node "tools/check.mjs"; true'`, ['tools/check.mjs']],
  ['eval "node tools/check.mjs"', ['tools/check.mjs']],
  ['timeout 60 node tools/check.mjs', ['tools/check.mjs']],
  ['cross-env CI=1 npm run unit', ['ci/unit.sh', 'hooks.mjs']],
  ['npx run-s check:*', ['tools/one.js']],
  ['npm --prefix web run check', ['tools/check.mjs']],
  ['npm run check -w web', ['tools/check.mjs']],
  ['pnpm --filter core lint', ['packages/core/lint.cjs']],
  ['pnpm -r run lint', ['packages/core/lint.cjs']],
  ['npx turbo run lint', ['packages/core/lint.cjs']],
  ['ci/all.sh', ['check.sh', 'ci/all.sh', 'tools/check.mjs']],
  ['ci/run', ['ci/run', 'ci/unit.sh']],
  ['make check', ['tools/check.mjs']],
  ['node tools/check.mjs src/a.js', ['tools/check.mjs']],
  ['eslint src/a.js', []],
  ['ruff check . src/a.js', []],
  ['node --check src/a.js', []],
  ['node --test test/a.test.mjs', []],
  ['npm run loop', []],
  ['cd broken && npm test', []],
  ['/bin/sh ../../etc/passwd', []],
])('%s runs %j', async (command, expected) => {
  expect(await found(command)).toEqual(expected)
})
