import { describe, expect, it } from 'vitest'
import { findTampering } from './find-tampering.ts'
import type { FileChange, TamperingKind } from './markers/tampering.ts'

const options = { protectedGlobs: ['db/schema.sql'], findingFile: null }

const modified = (path: string, before: string, after: string): FileChange => ({
  path,
  oldPath: null,
  status: 'modified',
  before,
  after,
  isBinary: false,
})
const added = (path: string, after: string): FileChange => ({
  ...modified(path, '', after),
  status: 'added',
  before: null,
})
const deleted = (path: string, before: string): FileChange => ({
  ...modified(path, before, ''),
  status: 'deleted',
  after: null,
})
const renamed = (oldPath: string, path: string, text: string): FileChange => ({
  ...modified(path, text, text),
  oldPath,
  status: 'renamed',
})
const kindsOf = (...changes: FileChange[]): TamperingKind[] =>
  findTampering(changes, options).map(({ kind }) => kind)

const a = "it('a', () => {\n  expect(f(1)).toBe(1)\n})\n"
const b = "it('b', () => {\n  expect(f(2)).toBe(2)\n})\n"

describe('an honest patch', () => {
  const rows: readonly (readonly [string, readonly FileChange[]])[] = [
    [
      'a fix with a new test',
      [modified('src/f.ts', 'export const f = 1\n', 'export const f = 2\n'), added('src/f.test.ts', a)],
    ],
    ['a new test in an old file', [modified('src/f.test.ts', a, a + b)]],
    [
      'a new test with a suppression and a type escape',
      [added('src/f.test.ts', `// eslint-disable no-console\n${a}const x = 1 as any\n`)],
    ],
    ['a test file that moved', [renamed('src/f.test.ts', 'src/g/f.test.ts', a)]],
    [
      'a test file that moved unnoticed by git',
      [deleted('src/f.test.ts', a + b), added('src/g.test.ts', a + b)],
    ],
    [
      'a test that moved to another file',
      [modified('src/f.test.ts', a + b, a), modified('src/g.test.ts', a, a + b)],
    ],
    [
      'a suppression that moved to another file',
      [
        modified('a.ts', '// @ts-ignore old\nconst a = b()\n', ''),
        modified('b.ts', '', '// @ts-ignore old\nconst a = b()\n'),
      ],
    ],
    ['a mode', [{ ...modified('src/f.test.ts', a, a), status: 'mode_changed' }]],
    [
      'new snapshots',
      [
        added('__snapshots__/a.snap', 'exports[`a 1`] = `1`;\n'),
        modified(
          '__snapshots__/b.snap',
          'exports[`b 1`] = `1`;\n',
          'exports[`a 1`] = `0`;\n\nexports[`b 1`] = `1`;\n',
        ),
      ],
    ],
    ['a new fixture program', [added('test/fixtures/stops.mjs', 'process.exit(0)\n')]],
    ['a new fixture', [added('tests/fixtures/a.json', '{}')]],
    ['documents of the tests', [modified('tests/README.md', 'a', 'b')]],
    ['documents that speak of it.skip', [modified('docs/a.md', '', 'use `// eslint-disable` and it.skip\n')]],
    [
      'a new dependency',
      [
        modified(
          'package.json',
          '{"scripts":{"test":"x"},"dependencies":{}}',
          '{"dependencies":{"a":"1"},"scripts":{"test":"x"}}',
        ),
      ],
    ],
    [
      'a new crate',
      [
        modified(
          'Cargo.toml',
          '[package]\nname = "a"\n\n[dependencies]\n',
          '[package]\nname = "a"\n\n[dependencies]\nserde = "1"\n',
        ),
      ],
    ],
    ['a deleted source file', [deleted('src/f.ts', 'export {}\n')]],
    ['a binary picture', [{ ...modified('logo.png', '\0a', '\0b'), isBinary: true }]],
  ]
  it.each(rows)('may hold %s', (_, changes) => {
    expect(findTampering(changes, options)).toEqual([])
  })
})

describe('honest changes of source code', () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    [
      'a suppression kept on a changed line',
      'a.py',
      'x = eval(s)  # noqa: S307\n',
      'x = eval(t)  # noqa: S307\n',
    ],
    ['a moved suppression', 'a.ts', '// @ts-ignore\na()\nb()\n', 'b()\n// @ts-ignore\na()\n'],
    ['a narrowed suppression', 'a.py', 'x = 1  # noqa\n', 'x = 1  # noqa: E501\n'],
    [
      'a rule less',
      'a.js',
      '// eslint-disable-next-line a, b\nx()\n',
      '// eslint-disable-next-line b\nx()\n',
    ],
    [
      'a file-wide suppression made local',
      'a.js',
      '/* eslint-disable a */\nx()\n',
      '// eslint-disable-next-line a\nx()\n',
    ],
    ['ts-ignore → ts-expect-error', 'a.ts', '// @ts-ignore\nx()\n', '// @ts-expect-error old types\nx()\n'],
    ['a reason', 'a.js', '// eslint-disable-line a\n', '// eslint-disable-line a -- because\n'],
    ['a text that names a marker', 'a.ts', 'const a = 1\n', "const a = '// @ts-ignore as any'\n"],
    ['a Python text that names a marker', 'a.py', 'a = 1\n', 'a = "# noqa # type: ignore"\n'],
    ['a format marker', 'a.ts', 'a()\n', '// prettier-ignore\na()\n'],
    ['a word', 'a.ts', 'a()\n', '// any company may ignore this, as unknown as it is\na(any)\n'],
    ['a non-null mark', 'a.ts', 'a.b\n', 'a!.b\n'],
    ['any less', 'a.ts', 'let a: any\nlet b: any\n', 'let b: any\nlet a: string\n'],
    ['an exit with an error', 'a.ts', 'run()\n', 'run().catch(() => process.exit(1))\n'],
    ['an exit in a function', 'a.ts', 'run()\n', 'export function stop() {\n  process.exit(0)\n}\n'],
    ['an exit in main', 'a.py', 'run()\n', 'if __name__ == "__main__":\n    sys.exit(0)\n'],
    ['an exit in a Python function', 'a.py', 'run()\n', 'def stop():\n    sys.exit()\n'],
    ['an exit on an event', 'a.ts', 'run()\n', "process.on('disconnect', () => process.exit())\n"],
    ['an exit in a comment', 'a.ts', 'run()\n', '// process.exit(0)\nrun()\n'],
    ['a removed assertion in source', 'a.py', 'assert x\nrun()\n', 'run()\n'],
  ]
  it.each(rows)('sees nothing in %s', (_, path, before, after) => {
    expect(kindsOf(modified(path, before, after))).toEqual([])
  })
})

describe('a cheat in source code', () => {
  const suppressions: readonly (readonly [string, string])[] = [
    ['a.ts', '// eslint-disable-next-line no-console\nx()\n'],
    ['a.ts', '/* eslint-disable */\nx()\n'],
    ['a.ts', '// @ts-ignore\nx()\n'],
    ['a.ts', '// @ts-expect-error\nx()\n'],
    ['a.ts', '// @ts-nocheck\nx()\n'],
    ['a.tsx', 'const a = <b>{/* eslint-disable-next-line x */}</b>\n'],
    ['a.ts', '// biome-ignore lint/a/b: no\nx()\n'],
    ['a.ts', '// oxlint-disable-next-line\nx()\n'],
    ['a.ts', '/* istanbul ignore next */\nx()\n'],
    ['a.ts', '/* c8 ignore start */\nx()\n'],
    ['a.ts', '/* v8 ignore next */\nx()\n'],
    ['a.py', 'x()  # noqa\n'],
    ['a.py', 'x()  # type: ignore[arg-type]\n'],
    ['a.py', 'x()  # pylint: disable=all\n'],
    ['a.py', 'x()  # nosec\n'],
    ['a.py', 'x()  # pragma: no cover\n'],
    ['a.go', 'x() //nolint:errcheck\n'],
    ['a.rs', '#[allow(dead_code)]\nfn x() {}\n'],
    ['a.rs', '#![allow(warnings)]\nfn x() {}\n'],
    ['A.java', '@SuppressWarnings("all")\nclass A {}\n'],
    ['a.rb', 'x # rubocop:disable Style/A\n'],
    ['a.cs', 'x(); // NOSONAR\n'],
    ['a.vue', '<!-- eslint-disable -->\n'],
    ['a.js', '/* eslint no-undef: "off" */\n'],
    ['a.js', '/* global secret */\n'],
    ['a.ts', '// deno-lint-ignore no-explicit-any\n'],
    ['a.js', '/* jshint ignore:line */\n'],
    ['a.py', '# pyright: basic\n'],
    ['a.py', 'x = 1  # pyre-ignore\n'],
    ['A.cs', '[SuppressMessage("a", "b")]\n'],
    ['a.swift', '// swiftlint:disable force_cast\n'],
    ['a.c', '#pragma GCC diagnostic ignored "-Wall"\n'],
    ['a.sh', '# shellcheck disable=SC2086\n'],
  ]
  it.each(suppressions)('tells of the suppression in %s: %s', (path, after) => {
    expect(kindsOf(modified(path, '', after))).toEqual(['suppression_added'])
  })

  const escapes: readonly (readonly [string, string])[] = [
    ['a.ts', 'const a = b as any\n'],
    ['a.ts', 'let a: any\n'],
    ['a.ts', 'function f(x: any): void {}\n'],
    ['a.ts', 'const a = <any>b\n'],
    ['a.ts', 'const a = b as unknown as C\n'],
    ['a.tsx', 'const a: Record<string, any> = {}\n'],
    ['a.py', 'a = cast(Any, b)\n'],
    ['a.py', 'a: Any = b\n'],
    ['a.py', '@no_type_check\ndef f():\n    return 1\n'],
    ['a.py', 'def f() -> Any:\n    return 1\n'],
  ]
  it.each(escapes)('tells of the type escape in %s: %s', (path, after) => {
    expect(kindsOf(modified(path, '', after))).toEqual(['type_escape_added'])
  })

  const exits: readonly (readonly [string, string])[] = [
    ['a.ts', 'process.exit(0)\n'],
    ['a.js', 'process.exit()\n'],
    ['a.js', '(() => { process.exit(0) })()\n'],
    ['a.js', "process.on('exit', () => { process.exitCode = 0 })\n"],
    ['a.js', 'if (process.env.CI) process.exit(0)\n'],
    ['a.py', 'import os\nos._exit(0)\n'],
    ['a.py', 'import sys\nsys.exit(0)\n'],
    ['a.py', 'raise SystemExit\n'],
    ['a.py', 'atexit.register(lambda: os._exit(0))\n'],
    ['a.py', 'if True:\n    sys.exit()\n'],
  ]
  it.each(exits)('tells of the exit in %s: %s', (path, after) => {
    expect(kindsOf(modified(path, '', after))).toEqual(['exit_on_import'])
  })

  it('counts a swap of a suppression for a wider one', () => {
    expect(kindsOf(modified('a.py', 'x = 1  # noqa: E501\n', 'x = 1  # noqa\n'))).toEqual([
      'suppression_added',
    ])
  })

  it('does not let one removed marker excuse two new ones', () => {
    const before = '// @ts-ignore\na()\n'
    expect(kindsOf(modified('a.ts', before, before + before))).toEqual(['suppression_added'])
  })
})

describe('files that decide what a check says', () => {
  const rows: readonly (readonly [string, FileChange, readonly TamperingKind[]])[] = [
    ['CI', modified('.github/workflows/ci.yml', 'a', 'b'), ['protected_file']],
    ['a new hook of the tests', added('conftest.py', 'import os\n'), ['protected_file']],
    ['a deleted lint file', deleted('.eslintrc.json', '{}'), ['protected_file']],
    ['a lint file renamed away', renamed('.eslintrc.json', 'old.json', '{}'), ['protected_file']],
    ['a lock file', modified('package-lock.json', '{}', '{"a":1}'), ['protected_file']],
    ['agent instructions', modified('AGENTS.md', 'a', 'b'), ['protected_file']],
    ['a glob of the configuration', modified('db/schema.sql', 'a', 'b'), ['protected_file']],
    [
      'another test script',
      modified('package.json', '{"scripts":{"test":"vitest"}}', '{"scripts":{"test":"true"}}'),
      ['protected_file'],
    ],
    [
      'another entry of a package',
      modified('package.json', '{"main":"a.js"}', '{"main":"b.js"}'),
      ['protected_file'],
    ],
    [
      'another file behind a way into a package',
      modified('package.json', '{"exports":{"./a":"./a.js"}}', '{"exports":{"./a":"./b.js"}}'),
      ['protected_file'],
    ],
    [
      'a package of the name of another one',
      added('test/package.json', '{"name":"sample","exports":{"./*":"./other/*"}}'),
      ['protected_file'],
    ],
    ['a mock', added('__mocks__/lodash.js', 'module.exports = {}\n'), ['judge_touched']],
    ['a package.json that is none', modified('package.json', '{}', '{'), ['protected_file']],
    [
      'lints of Cargo.toml',
      modified(
        'Cargo.toml',
        '[lints.rust]\nunsafe_code = "forbid"\n',
        '[lints.rust]\nunsafe_code = "allow"\n',
      ),
      ['protected_file'],
    ],
    [
      'a lowered coverage',
      modified(
        'vitest.config.ts',
        'thresholds: { lines: 85, branches: 85 }',
        'thresholds: { lines: 20, branches: 85 }',
      ),
      ['protected_file', 'threshold_lowered'],
    ],
    [
      'a removed coverage',
      modified('pyproject.toml', '[tool.coverage.report]\nfail_under = 90\n', '[tool.coverage.report]\n'),
      ['protected_file', 'threshold_lowered'],
    ],
    [
      'a lowered jest coverage',
      modified(
        'package.json',
        '{"jest":{"coverageThreshold":{"global":{"lines":90}}}}',
        '{"jest":{"coverageThreshold":{"global":{"lines":10}}}}',
      ),
      ['protected_file', 'threshold_lowered'],
    ],
    [
      'more warnings',
      modified('Makefile', 'lint:\n\teslint --max-warnings 0\n', 'lint:\n\teslint --max-warnings 99\n'),
      ['protected_file', 'threshold_lowered'],
    ],
    ['a raised coverage', modified('.nycrc', '{"lines": 80}', '{"lines": 90}'), ['protected_file']],
    ['a deleted test file', deleted('src/f.test.ts', a), ['test_deleted']],
    ['a test file that no runner finds', renamed('src/f.test.ts', 'src/f.test.ts.bak', a), ['test_deleted']],
    ['a test file renamed by case only', renamed('src/f.test.ts', 'src/f.Test.ts', a), ['test_deleted']],
    [
      'a test file renamed to a helper',
      renamed('tests/test_f.py', 'tests/f.py', 'def test_a():\n    assert f()\n'),
      ['test_deleted'],
    ],
    [
      'a test file that became a link',
      { ...modified('src/f.test.ts', a, ''), status: 'type_changed', after: null },
      ['test_deleted'],
    ],
    ['a new skipped test', added('src/f.test.ts', a.replace('it(', 'it.skip(')), ['test_skipped']],
    ['a new test that runs alone', added('src/f.test.ts', a.replace('it(', 'it.only(')), ['test_skipped']],
    ['a new test that ends the run', added('src/f.test.ts', `${a}process.exit(0)\n`), ['exit_on_import']],
    [
      'a changed snapshot',
      modified('__snapshots__/a.snap', 'exports[`a 1`] = `1`;\n', 'exports[`a 1`] = `2`;\n'),
      ['snapshot_changed'],
    ],
    [
      'a removed snapshot',
      modified(
        '__snapshots__/a.snap',
        'exports[`a 1`] = `1`;\n\nexports[`b 1`] = `1`;\n',
        'exports[`a 1`] = `1`;\n',
      ),
      ['snapshot_changed'],
    ],
    ['a changed golden file', modified('tests/golden/a.txt', 'a', 'b'), ['snapshot_changed']],
    [
      'a changed binary fixture',
      { ...modified('tests/a.png', '\0a', '\0b'), isBinary: true },
      ['snapshot_changed'],
    ],
    ['a deleted fixture', deleted('tests/a.json', '{}'), ['snapshot_changed']],
    [
      'source that is no text',
      { ...modified('src/a.ts', 'a', ''), after: null, isBinary: true },
      ['protected_file'],
    ],
  ]
  it.each(rows)('are guarded: %s', (_, change, kinds) => {
    expect(kindsOf(change)).toEqual(kinds)
  })

  it('are still held when the finding is in them', () => {
    const change = modified('.github/workflows/ci.yml', 'a', 'b')
    expect(findTampering([change], { protectedGlobs: [], findingFile: change.path })).toEqual([
      {
        path: change.path,
        line: null,
        kind: 'protected_file',
        what: 'a protected file was changed: it belongs to continuous integration (the finding is in this file)',
      },
    ])
  })
})

describe('what tests assert with', () => {
  it.each([
    ['a function', 'assert.equal = () => {}'],
    ['a name that is computed', "for (const name of ['ok']) assert[name] = () => {}"],
    ['a property', "Object.defineProperty(assert, 'equal', { value: () => {} })"],
    ['a mock', "mock.method(assert, 'equal', () => {})"],
    ['a class', 'unittest.TestCase.assertEqual = lambda *a: None'],
  ])('must not be replaced: %s', (_name, text) => {
    for (const change of [
      modified('test/setup.mjs', 'a()\n', `a()\n${text}\n`),
      added('test/new.test.mjs', text),
    ])
      expect(findTampering([change], options)).toMatchObject([
        { kind: 'assertion_loosened', what: expect.stringContaining('what tests assert with was replaced') },
      ])
  })

  it.each([
    'assert.equal(a, b)',
    'expect(a.b == 1).toBe(true)',
    'const same = assert.equal',
    'x = assert.ok',
  ])('may be used: %s', (text) => {
    expect(findTampering([modified('test/setup.mjs', 'a()\n', `a()\n${text}\n`)], options)).toEqual([])
  })
})

it('a program that a verification command runs is guarded', () => {
  const change = modified('tools/check.mjs', 'a()', 'b()')
  const checkFiles = new Set([change.path])
  expect(findTampering([change], { ...options, checkFiles }).map(({ what }) => what)).toEqual([
    expect.stringMatching(/^a protected file was changed: a verification command runs it/),
  ])
  expect(findTampering([change], options)).toEqual([])
})

describe('a flood', () => {
  it('is told in a hundred lines, with the number of the rest', () => {
    const found = findTampering([modified('a.go', '', 'x() //nolint\n'.repeat(250))], options)
    expect(found).toHaveLength(100)
    expect(found.at(-1)?.what).toContain('and 150 more')
  })

  it('keeps control characters of the repository out of its words', () => {
    const found = findTampering(
      [modified('a.test.ts', "it('\u001b[31m\u202ex', () => { expect(1).toBe(1) })", '')],
      options,
    )
    expect(found.map(({ what }) => what)).toEqual(['the test “[31m x” was removed'])
  })
})
