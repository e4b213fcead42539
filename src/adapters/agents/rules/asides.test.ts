import { expect, it } from 'vitest'
import { whyAside } from './asides.ts'

it.each([
  ['test/a.js', 'a test'],
  ['src/a.test.ts', 'a test'],
  ['pkg/tests/test_a.py', 'a test'],
  ['benchmarks/run.js', 'a benchmark'],
  ['packages/a/examples/server.ts', 'an example'],
  ['docs/conf.py', 'documentation'],
  ['dist/async.mjs', 'built from other files'],
  ['static/jquery.min.js', 'minified'],
  ['packages/node_modules/own/index.js', 'an installed package'],
  ['shop/migration/versions/085_a.py', 'a migration, which stays as it ran'],
  ['plugins/example_theme/a.js', 'an example'],
  ['pip/_vendor/six.py', 'the code of somebody else'],
])('the rules agent leaves %s out as %s', (path, why) => {
  expect(whyAside(path)).toBe(why)
})

it.each(['src/a.js', 'lib/latest.ts', 'docs.py', 'src/builder/out.py', 'a.js'])(
  'the rules agent reviews %s',
  (path) => {
    expect(whyAside(path)).toBeNull()
  },
)
