import { expect, it } from 'vitest'
import { borrowedFolders, whyAside } from './asides.ts'

it.each([
  ['test/a.js', 'a test'],
  ['src/a.test.ts', 'a test'],
  ['pkg/tests/test_a.py', 'a test'],
  ['benchmarks/run.js', 'a benchmark'],
  ['packages/a/examples/server.ts', 'an example'],
  ['docs/conf.py', 'documentation'],
  ['dist/async.mjs', 'built from other files'],
  ['static/jquery.min.js', 'minified'],
  ['www/lib/definition-b4b159b2.js', 'built from other files'],
  ['packages/node_modules/own/index.js', 'an installed package'],
  ['shop/migration/versions/085_a.py', 'a migration, which stays as it ran'],
  ['plugins/example_theme/a.js', 'an example'],
  ['packages/create/starter/schema.ts', 'a template of other projects'],
  ['web/third/marked.cjs', 'the code of somebody else'],
  ['plugins/config/test.py', 'a test'],
  ['e2e_playwright/st_audio.py', 'a test'],
  ['extensions/refactoring/unittest-files/a.js', 'a test'],
  ['extensions/php/unittests.js', 'a test'],
  ['example.ts', 'an example'],
  ['playwright/support/meeting.ts', 'a test'],
  ['hacking/download.py', 'for trying things out'],
  ['src/tree/tree.test-utils.ts', 'a test'],
  ['backend/common/template/backend.py', 'a template of other projects'],
  ['lib/backends/backend_template.py', 'a template of other projects'],
  ['packages/mongo/mongo_tests.js', 'a test'],
  ['packages/deprecated/http/call.js', 'kept for those who still need it'],
  ['pip/_vendor/six.py', 'the code of somebody else'],
])('the rules agent leaves %s out as %s', (path, why) => {
  expect(whyAside(path)).toBe(why)
})

it.each([
  'src/a.js',
  'src/report-20240131.js',
  'src/a-deadbeef.js',
  'lib/latest.ts',
  'docs.py',
  'website/server/index.js',
  'src/unittested.js',
  'src/template.ts',
  'src/run-test-suite.js',
  'src/builder/out.py',
  'a.js',
])('the rules agent reviews %s', (path) => {
  expect(whyAside(path)).toBeNull()
})

it('a folder with three packages that everybody installs holds the code of somebody else', () => {
  const files = [
    'lib/six.py',
    'lib/idna/core.py',
    'lib/pytz/a/b.py',
    'lib/own.py',
    'app/six.py',
    'app/idna.py',
    'six.py',
  ]
  expect(borrowedFolders(files)).toEqual(['lib'])
})
