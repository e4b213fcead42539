import { bad, testRules } from '../../../../../test/fixtures/rule-table.ts'
import { valueRules } from './values.ts'

testRules(valueRules, {
  'js/in-array': {
    bad: [bad("if (kind in ['a', 'b']) go()", "if (['a', 'b'].includes(kind)) go()")],
    good: [
      "if (['a'].includes(kind)) go()",
      'if (0 in [1, 2]) go()',
      'if (key in object) go()',
      'for (const i in [1, 2]) go()',
    ],
  },
  'js/parseint-map': {
    bad: [
      bad("'1,2'.split(',').map(parseInt)", "'1,2'.split(',').map((value) => parseInt(value, 10))"),
      bad('a.map(Number.parseInt)', 'a.map((value) => Number.parseInt(value, 10))'),
    ],
    good: ['a.map(Number)', 'a.map((x) => parseInt(x, 10))', 'a.map(parseFloat)'],
  },
  'js/indexof-truthiness': {
    bad: [
      bad('if (names.indexOf(name)) go()', 'if (names.includes(name)) go()'),
      bad('const a = x && text.indexOf("b") ? 1 : 2', 'const a = x && text.includes("b") ? 1 : 2'),
      bad('while ((text.indexOf("b"))) go()', 'while ((text.includes("b"))) go()'),
      bad(
        'if(x || list[0].names.indexOf(y)) go(x, a.indexOf(b))',
        'if(x || list[0].names.includes(y)) go(x, a.indexOf(b))',
      ),
    ],
    good: [
      'if (names.indexOf(name) >= 0) go()',
      "if (!url.indexOf('http')) go()",
      'const at = names.indexOf(name)',
      'if (a) b.indexOf(c)',
    ],
  },
  'js/missing-callback-return': {
    bad: [
      bad('const a = b.filter((x) => { x > 1 })', 'const a = b.filter((x) => { return x > 1 })'),
      bad('const a = b.map((x) => { const y = x * 2; save(y) })'),
      bad('const a = b.map((x) => {\n  x.done = true\n})'),
      bad(
        'const a = b.reduce((sum, x) => { sum + x }, 0)',
        'const a = b.reduce((sum, x) => { return sum + x }, 0)',
      ),
      bad(
        'b.some((x) => { c.find((y) => { return y === x }) })',
        'b.some((x) => { return c.find((y) => { return y === x }) })',
      ),
      // Ways out of other functions, and words that are none.
      bad('const a = b.filter((x) => { const o = { get() { return 1 }, catch: 2 }; use(o) })'),
      bad('const a = b.filter((x) => { function own() { return x } own() })'),
      bad('const a = b.filter((x) => { if (x) { on("return", () => { throw x }) } })'),
      bad('const a = b.filter((x) => { // return\n  x.return(`throw ${x}`); "return" })'),
      bad('const a = b.filter((x) => { class A { m() { return x } } new A() })'),
    ],
    good: [
      'const a = b.filter((x) => { return x > 1 })',
      'b.map((x) => { save(x) })',
      'const a = b.map(() => {})',
      'const a = b.filter((x) => { if (x) return true })',
      'const a = b.filter((x) => x > 1)',
      'b.forEach((x) => { save(x) })',
      'const a = b.map(() => { throw new Error() })',
      'await Promise.all(b.map(async (x) => { await save(x) }))',
    ],
  },
  'js/negative-length': {
    bad: [
      bad('if (items.length >= 0) show(items)', 'if (items.length > 0) show(items)'),
      bad('if (set.length < 0) return_()', 'if (set.length === 0) return_()'),
    ],
    good: [
      'if (items.length > 0) show()',
      'if (items?.length >= 0) show()',
      'if (file.size < 0) load()',
      "const like = typeof x.length === 'number' && x.length >= 0",
      'for (let i = items.length; i >= 0; i--) show()',
    ],
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
})
