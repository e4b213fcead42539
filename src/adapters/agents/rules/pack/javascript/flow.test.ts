import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { javascriptFlowRules } from './flow.ts'

testRules(javascriptFlowRules, {
  'js/duplicate-case': {
    bad: [bad("switch (x) { case 'a': f(); break; case 'b': g(); break; case 'a': h() }")],
    good: [
      "switch (x) { case 'a': f(); break; case 'b': g() }",
      "switch (x) { case 'a': switch (y) { case 'a': f() } }",
      'switch (x) { default: f() }',
    ],
  },
  'js/duplicate-else-if': {
    bad: [
      bad('if (a) f()\nelse if (b) g()\nelse if (a) h()'),
      bad('if (x === 1) { f() } else if (x === 1) { g() }'),
    ],
    good: [
      'if (a) f()\nelse if (b) g()',
      'if (a) { if (a) f() } else g()',
      'if (next()) f()\nelse if (next()) g()',
    ],
  },
  'js/unreachable-code': {
    bad: [
      bad('function f() { return 1; clean() }'),
      bad('function f() {\n  return\n    value\n}'),
      bad('for (const x of y) { if (x) { continue; save(x) } }'),
      bad('function f() {\n  throw new Error()\n  // later\n  save()\n}'),
    ],
    good: [
      'function f() { return g(); function g() {} }',
      'switch (x) { case 1: { return_(); break } }',
      'function f() { if (a) return 1; return 2 }',
      'function f() { return 1;; // done\n}',
      'function f() { return x; var x }',
    ],
  },
  'js/finally-return': {
    bad: [bad('function f() { try { a() } finally { return 1 } }')],
    good: [
      'function f() { try { return a() } finally { b() } }',
      'function f() { try { a() } finally { list.forEach((x) => { return x }) } }',
      'function f() { try { a() } catch { return 1 } }',
    ],
  },
  'js/debugger': {
    bad: [
      bad('function f() {\n  debugger\n  return 1\n}\n', 'function f() {\n  return 1\n}\n'),
      bad('a(); debugger; b()', 'a();  b()'),
      bad('a()\r\n  debugger;\r\nb()', 'a()\r\nb()'),
    ],
    good: ["log('debugger')", '// debugger\na()', 'const debuggerOn = 1'],
  },
  'js/focused-test': {
    bad: [
      bad("it.only('adds', () => { ok() })", "it('adds', () => { ok() })"),
      bad("describe.only('sum', async function () {})", "describe('sum', async function () {})"),
    ],
    good: ["it('adds', () => {})", "it.skip('adds', () => {})", 'query.only(a, b)', "test.only('x')"],
  },
})
