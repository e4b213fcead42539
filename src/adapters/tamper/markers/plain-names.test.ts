import { expect, it } from 'vitest'
import { withPlainNames } from './plain-names.ts'

const plain = (path: string, source: string): string =>
  withPlainNames({ path, before: '', after: source }).after.split('\n').at(-1) ?? ''

it.each([
  ["import { argv as words } from 'node:process'", 'words.length', 'process.argv.length'],
  ["import it from 'process'", 'it.exitCode = 0', 'process.exitCode = 0'],
  ["import util from 'node:util'", 'util.isDeepStrictEqual = f', 'node:util.isDeepStrictEqual = f'],
  ["import * as all from 'node:events'", 'all.on()', 'node:events.on()'],
  ['const { prototype: lists } = Array', 'lists.every = f', 'Array.prototype.every = f'],
  ['const { assign } = Object', 'assign(lib, {})', 'Object.assign(lib, {})'],
  ['const json = JSON\nconst second = json', 'second.stringify = f', 'JSON.stringify = f'],
  ['const all = Object.getPrototypeOf([])', 'all.every = f', 'Object.getPrototypeOf([]).every = f'],
  ["const lib = require('assert').strict", 'lib.ok = f', 'node:assert.ok = f'],
  ["const lib = make(import.meta.url)('node:os')", 'lib.cpus()', 'node:os.cpus()'],
  ['const { env } = process', 'env.A ? 1 : 2', 'process.env.A ? 1 : 2'],
])('a name of its own is told by what it means: %s: %s', (naming, line, expected) => {
  expect(plain('a.js', `${naming}\n${line}`)).toBe(expected)
})

it.each([
  ['import sys as s', 's.argv', 'sys.argv'],
  ['from gc import get_objects as everything', 'everything()', 'gc.get_objects()'],
  ['from sys import argv, path as p', 'len(argv) + len(p)', 'len(sys.argv) + len(sys.path)'],
])('in Python too: %s: %s', (naming, line, expected) => {
  expect(plain('a.py', `${naming}\n${line}`)).toBe(expected)
})

it.each([
  ["import { argv } from 'node:process'", 'other.argv, { argv: 1 }, "argv", my-argv'],
  ["import { argv } from './own.js'", 'argv.length'],
  ['const list = [1]', 'list.every = f'],
])('what only looks like it keeps its name: %s: %s', (naming, line) => {
  expect(plain('a.js', `${naming}\n${line}`)).toBe(line)
})

it('keeps every line where it was', () => {
  const source = "import {\n  argv as a,\n  env as b,\n} from 'node:process'\na.length\nb.X\n"
  const { after } = withPlainNames({ path: 'a.js', before: '', after: source })
  expect(after.split('\n')).toEqual([
    ...source.split('\n').slice(0, 4),
    'process.argv.length',
    'process.env.X',
    '',
  ])
})
