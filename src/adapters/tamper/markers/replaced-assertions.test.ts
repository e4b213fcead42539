import { expect, it } from 'vitest'
import { inspectTextTests, inspectTouchedJudge } from './replaced-assertions.ts'

const said = (path: string, before: string, after: string): readonly string[] =>
  inspectTouchedJudge({ path, before, after }).signs.map(({ what }) => what)

it.each([
  ['a.js', 'assert.equal = (a, b) => a === 3 || equal(a, b)'],
  ['a.js', 'Promise.prototype.then = function () {}'],
  ['a.js', "Object.defineProperty(Error, 'captureStackTrace', { value() {} })"],
  ['a.js', 'Object.assign(console, { log() {} })'],
  ['a.js', 'Array.prototype.every &&= () => true'],
  ['a.js', "Array.prototype['every'] = () => true"],
  ['a.js', '[].__proto__.every = () => true'],
  ['a.js', 'Object.getPrototypeOf([]).every = () => true'],
  ['a.js', "[].constructor.prototype['every'] = () => true"],
  ['a.js', ';[Array.prototype.every] = [() => true]'],
  ['a.js', 'for (JSON.stringify of [quiet]);'],
  ['a.js', "Object['assign'](lib, {})"],
  ['a.js', "f.constructor('return process')()"],
  ['a.js', 'node:util.isDeepStrictEqual = () => true'],
  ['a.js', 'node:events.EventEmitter.prototype.emit = () => false'],
  ['a.js', "import lib from 'node:assert'\n;[lib.equal] = [quiet]"],
  ['a.js', "import lib from 'node:assert'\n;({ it: lib.equal } = { it: quiet })"],
  ['a.js', "import lib from 'node:assert'\nfor (lib.equal of [quiet]);"],
  ['a.js', "import lib from 'node:assert'\nput(lib, { equal: quiet })"],
  ['a.js', "import lib from 'node:assert'\nconst held = [lib]"],
  ['a.js', "const lib = require('assert')\nquiet(lib)"],
  ['a.js', 'try { expect.extend({ toBe: () => ({ pass: true }) }) } catch {}'],
  ['a.js', 'expect.addEqualityTesters([() => true])'],
  ['a.js', "jest.spyOn(exports, 'value')"],
  ['a.js', 'beforeEach(function () { this.currentTest.fn = quiet })'],
  ['a.js', 'const real = f; test = (title) => real(title, () => {})'],
  ['a.js', "const { [Symbol.for('$$jest-matchers-object')]: all } = globalThis"],
  ['a.js', "const lib = require('@vitest/expect')"],
  ['a.py', "load = importlib.import_module('unittest.case')"],
  ['a.py', "case = __import__('unittest').TestCase"],
  ['a.py', "case = next(each for each in object.__subclasses__() if each.__name__ == 'TestCase')"],
  ['a.py', "__builtins__['AssertionError'] = Never"],
  ['a.js', 'process.stdout.write = (text) => write(text)'],
  ['a.js', 'const { stdout } = process; stdout.write = quiet'],
  ['a.js', 'lib.equal = (a, b) => { if (a !== 3) equal(a, b) }'],
  ['a.js', 'lib.ifError = () => {}'],
  ['a.js', 'lib.doesNotReject = async () => {}'],
  ['a.js', 'lib.partialDeepStrictEqual = () => {}'],
  ['a.js', "import lib from 'node:assert'\nlib.ok = () => {}"],
  ['a.js', "import lib, { equal } from 'assert'\nlib.fail = () => {}"],
  ['a.js', "import * as lib from 'node:assert/strict'\nlib.match = () => {}"],
  ['a.js', "import { strict as lib } from 'node:assert'\nlib.ok = () => {}"],
  ['a.js', "const { strict: lib } = require('assert')\nlib['o' + 'k'] = () => {}"],
  ['a.js', "const $ = createRequire(import.meta.url)('node:assert')\n$.strict.ok = () => {}"],
  ['a.js', "const lib = process.getBuiltinModule('assert')\nObject.assign(lib, { ok() {} })"],
  ['a.js', "import assert from 'node:assert'\nconst lib = assert.strict\nlib.fail = () => {}"],
  ['a.js', "import lib from 'node:assert'\nconst second = lib\nsecond.ok = noop"],
  ['a.js', "import lib from 'node:assert'\nconst { strict } = lib\nstrict.ok = noop"],
  ['a.js', "import lib from 'node:assert'\nconst second = lib.strict, third = second\nthird.fail = noop"],
  ['a.js', "import lib from 'node:assert'\nlet second\nsecond = lib\nsecond.match = noop"],
  ['a.js', "import * as all from 'node:assert'\nconst { default: lib } = all\nlib.ok = noop"],
  ['a.js', "import lib from 'node:assert'\n;(lib.strict).ok = noop"],
  ['a.js', "import lib from 'node:assert'\nconst quiet = (x) => { x.ok = () => {} }\nquiet(lib)"],
  ['a.js', "import lib from 'node:assert'\nfor (const x of [lib]) Object.assign(x, { ok() {} })"],
  ['a.js', 'return { asymmetricMatch: (other) => other === 4 }'],
  ['a.py', 'def __eq__(self, other):\n        return True'],
  ['a.js', "AssertionError.prototype.name = 'x'"],
  ['a.js', 'globalThis.Error = class {}'],
  ['a.js', 'globalThis.Promise.prototype.then = function () {}'],
  ['a.mjs', "import { test } from 'node:test'"],
  ['a.mjs', "const runner = createRequire(import.meta.url)('node:test')"],
  ['a.mjs', "const runner = createRequire(import.meta.url)('mocha')"],
  ['a.js', "const t = require('tape')"],
  ['a.mjs', "register('data:text/javascript,' + hooks)"],
  ['a.mjs', 'syncBuiltinESMExports()'],
  ['a.js', 'delete require.cache[file]'],
  ['a.py', 'import unittest'],
  ['a.py', '    from unittest import case'],
  ['a.py', "lib = sys.modules.get('x')"],
  ['a.py', 'sys.setprofile(watch)'],
  ['a.py', 'sys.stderr = Quiet(sys.stderr)'],
  ['a.py', 'for each in gc.get_objects(): pass'],
  ['a.py', 'builtins.isinstance = lambda a, b: True'],
  ['a.py', 'f.__code__ = g.__code__'],
])('a program that changes what its tests run with is told: %s: %s', (path, line) => {
  expect(said(path, '', `${line}\n`)).toEqual([expect.stringContaining('what its tests run with')])
  expect(said(path, `${line}\n`, `other\n${line}\n`)).toEqual([])
})

it.each([
  ['a.js', "import assert from 'node:assert'\nassert.equal(a, b)"],
  ['a.js', 'process.exitCode = 1'],
  ['a.js', 'result.ok = isEqual === true'],
  ['a.js', "import lib from 'node:assert'\nlib.ok(a)\nresult.ok = true\nthis.match = b\njob.fail = c"],
  ['a.js', "import lib from 'node:assert'\nconst isOk = lib\n  .ok\nresult.ok = isOk"],
  ['a.js', 'result.ok = () => true\nObject.assign(result, { ok: true })'],
  ['a.py', 'def __eq__(self, other):\n    return self.a == other.a'],
  ['a.js', 'const isSame = (a) => a.equal === b.equal'],
  ['a.js', "process.env.TZ = 'UTC'"],
  ['a.js', 'this.process.state = 1'],
  ['a.js', 'const map = new Map(); map.size === 2'],
  ['a.js', 'console.log(Object.keys(a))'],
  ['a.js', 'router.register(route)'],
  ['a.js', 'hooks.beforeEach(() => next())\nconst test = /a/\nconst { it = 1 } = options'],
  ['a.py', 'sys.stderr.write(text)'],
  ['a.py', 'gc.collect()'],
  ['a.py', 'from mytests import data'],
])('a program that only uses it is fine: %s: %s', (path, line) => {
  expect(said(path, '', `${line}\n`)).toEqual([])
})

it.each([
  "const text = readFileSync(new URL('../src/a.mjs', import.meta.url), 'utf8')",
  "const text = await readFile('src/a.ts', 'utf8')",
  "assert.ok(value.toString().includes('n * 2'))",
  'text = inspect.getsource(value)',
  'text = open("pkg/a.py").read()',
])('a test that looks at the text of code is told: %s', (line) => {
  expect(inspectTextTests('', `${line}\n`).signs).toHaveLength(1)
  expect(inspectTextTests(`${line}\n`, `other\n${line}\n`).signs).toEqual([])
})

it.each([
  "const text = readFileSync('fixtures/a.json', 'utf8')",
  "assert.ok(error.toString() === 'x')",
  "import { value } from '../src/a.mjs'",
])('a test that looks at something else is fine: %s', (line) => {
  expect(inspectTextTests('', `${line}\n`).signs).toEqual([])
})
