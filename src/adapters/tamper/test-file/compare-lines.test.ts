import { expect, it } from 'vitest'
import { inspectTests } from './inspect-tests.ts'

const text = `import { alike, same } from './helpers.js'
import { value } from '../src/value.js'

test('begins', () => { alike(value(1), 2) })
test('doubles', () => {
  const given = prepare(3)
  same(value(given), 6)
})
`
const said = (after: string): readonly string[] =>
  inspectTests('a.test.js', text, after).signs.map(({ what }) => what)

it.each([
  ['what a helper is given', 'alike(value(1), 2)', 'alike(2, 2)', 'alike(value(1), 2'],
  ['what a test begins with', 'prepare(3)', 'prepare(0)', 'const given = prepare(3'],
  ['that a helper is called', '  same(value(given), 6)\n', '', 'same(value(given), 6'],
  ['where a helper comes from', './helpers.js', './others.js', "from './helpers.js'"],
  ['what a helper is', "import { alike, same } from './helpers.js'", 'const alike = () => {}', 'alike, same'],
  ['what a name means', 'alike(value(1)', 'const value = () => 2; alike(value(1)', 'const value = () => 2'],
])('a change of an old test is told, and be it only %s', (_, from, to, shown) => {
  expect(said(text.replace(from, to))).toEqual([expect.stringContaining(shown)])
})

it.each([
  ['a new test', (now: string) => `${now}test('more', () => alike(value(5), 10))\n`],
  ['one more call', (now: string) => now.replace('6)\n', '6)\n  same(value(4), 8)\n')],
  ['one more import', (now: string) => now.replace('{ value }', '{ value, label }')],
  [
    'another layout',
    (now: string) => now.replace('alike(value(1), 2) }', '\n  alike(\n    value(1),\n    2,\n  )\n}'),
  ],
  ['a remark', (now: string) => now.replace('prepare(3)', 'prepare(3) // three')],
])('%s is no change of an old one', (_, change) => {
  expect(said(change(text))).toEqual([])
})
