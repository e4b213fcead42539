import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { javascriptObjectRules } from './objects.ts'

testRules(javascriptObjectRules, {
  'js/duplicate-key': {
    bad: [
      bad('const a = { x: 1, y: 2, x: 3 }'),
      bad('const a = { x: 1, y: 2, x: 1 }', 'const a = { x: 1, y: 2 }'),
      bad("const a = {\n  'x': f,\n  y,\n  'x': f,\n  z,\n}", "const a = {\n  'x': f,\n  y,\n  z,\n}"),
      bad('const a = { x: 1, x() {} }'),
    ],
    good: [
      'const a = { x: 1, ...b, x: 2 }',
      'const a = { get x() { return 1 }, set x(v) {} }',
      'const a = { [x]: 1, [x]: 2 }',
      'const a = { x: { x: 1 }, y: 1 }',
    ],
  },
  'js/direct-hasown': {
    bad: [
      bad('if (query.hasOwnProperty(key)) go()', 'if (Object.hasOwn(query, key)) go()'),
      bad("const a = !this.cache.hasOwnProperty('x')", "const a = !Object.hasOwn(this.cache, 'x')"),
    ],
    good: ['Object.prototype.hasOwnProperty.call(a, b)', 'Object.hasOwn(a, b)', 'a?.hasOwnProperty(b)'],
  },
  'js/template-in-string': {
    bad: [
      bad("function f(name) { return 'Hello ${name}!' }", 'function f(name) { return `Hello ${name}!` }'),
      bad(
        'const user = read()\nlog("It\\"s ${user.id} ${user.name}")',
        'const user = read()\nlog(`It"s ${user.id} ${user.name}`)',
      ),
      bad("const f = ({ id }) => fetch('/users/${id}')", 'const f = ({ id }) => fetch(`/users/${id}`)'),
      bad("const f = id => fetch('/users/${id}')", 'const f = id => fetch(`/users/${id}`)'),
    ],
    good: [
      "run('echo ${HOME}')",
      "function f(name) { return template.replace('${name}', name) }",
      'function f(name) { return `Hello ${name}` }',
      "function f(name) { return { '${name}': 1 } }",
      "function f(name) { return '${name} ${ other() }' }",
    ],
  },
  'js/unsafe-optional-member': {
    bad: [
      bad('const a = (user?.address).street', 'const a = user?.address.street'),
      bad('const a = (user?.list())[0]', 'const a = user?.list()[0]'),
      bad('(handlers?.done)()', 'handlers?.done()'),
      bad(';(a?.b).c = 1'),
    ],
    good: ['const a = user?.address.street', 'const a = (user?.address)?.street', '(a?.b ?? c).d', '(a.b).c'],
  },
  'js/unsafe-optional-unpack': {
    bad: [
      bad('const { street } = user?.address', 'const { street } = user?.address ?? {}'),
      bad('const [first] = data?.rows()', 'const [first] = data?.rows() ?? []'),
      bad('const a = [...data?.rows, 1]', 'const a = [...(data?.rows ?? []), 1]'),
    ],
    good: [
      'const { a } = b?.c ?? {}',
      'const a = { ...b?.c }',
      'const a = b?.c',
      'const { a } = b.c',
      'f(...b)',
    ],
  },
})
