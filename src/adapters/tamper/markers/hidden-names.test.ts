import { expect, it } from 'vitest'
import { inspectHiddenNames } from './hidden-names.ts'

const said = (path: string, before: string, after: string): readonly string[] =>
  inspectHiddenNames({ path, before, after }).signs.map(({ what }) => what)

it.each([
  ['a.js', "const f = (n) => new Error()['sta' + 'ck'].length"],
  ['a.ts', "globalThis['pro' + 'cess'].exit(0)"],
  ['a.js', 'globalThis[name](0)'],
  ['a.mjs', "const m = await import('node:' + 'test')"],
  ['a.js', "eval('1 + 1')"],
  ['a.js', "import lib from 'node:\\x61ssert'"],
  ['a.js', "const lib = all['\\u0061ssert']"],
  ['a.py', "lib = table['\\x75nittest']"],
  ['a.js', "const m = await import(['node', 'assert'].join(':'))"],
  ['a.js', "const m = await import(atob('bm9kZTphc3NlcnQ='))"],
  ['a.js', 'const m = await import(`node:${what}`)'],
  ['a.js', "const f = Function('return process')"],
  ['a.js', "const f = new Function('n', 'return n')"],
  ['a.py', "run = getattr(os, '_ex' + 'it')"],
  ['a.py', "module = __import__('o' + 's')"],
  ['a.py', 'exec(text)'],
  ['a.js', "const at = new URL(['..', 'te' + 'st'].join('/'))"],
  ['a.py', "lib = sys.modules.get('unit' 'test')"],
  ['a.py', "isUnder = '/t' + 'ests/' in name"],
  ['a.py', "modules = vars(__import__('sys'))['modules']"],
])('a name that nobody can read is told: %s: %s', (path, line) => {
  expect(said(path, '', `${line}\n`)).toEqual([expect.stringContaining('code hides the name')])
  expect(said(path, `${line}\n`, `other\n  ${line}\n`)).toEqual([])
})

it.each([
  ['a.js', "const text = messages['error.' + code]"],
  ['a.js', "const home = process['env']"],
  ['a.js', 'const letters = /[\\x30-\\x39\\x41-\\x5a]/'],
  ['a.js', "const end = '\\x1b[0m\\u2028'"],
  ['a.js', 'const m = await import(`./locales/${name}.js`)'],
  ['a.js', 'const m = await import(path)'],
  ['a.js', "const text = 'a long line, ' + 'and another one'"],
  ['a.js', 'const found = globalThis[Symbol.for]'],
  ['a.py', 'value = getattr(settings, name)'],
  ['a.js', "const text = name + ': ' + 'none'"],
  ['a.js', "const text = 'a' + name + 'b'"],
  ['a.py', 'value = ast.literal_eval(text)'],
  ['a.py', 'cursor.exec(text)'],
])('a name that is put together for a reason is fine: %s: %s', (path, line) => {
  expect(said(path, '', `${line}\n`)).toEqual([])
})
