import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { javascriptArrayRules } from './arrays.ts'

testRules(javascriptArrayRules, {
  'js/shared-fill': {
    bad: [
      bad('const grid = new Array(rows).fill([])', 'const grid = Array.from({ length: rows }, () => [])'),
      bad('const a = Array(3).fill({ n: 0 })', 'const a = Array.from({ length: 3 }, () => ({ n: 0 }))'),
      bad('x(new Array(n + 1).fill(new Map()))', 'x(Array.from({ length: n + 1 }, () => new Map()))'),
    ],
    good: [
      'new Array(3).fill(0)',
      'new Array(3).fill(null).map(() => [])',
      'list.fill([])',
      'Array.from({ length: 3 }, () => [])',
    ],
  },
  'js/numeric-sort': {
    bad: [
      bad('const a = [3, 20, 100].sort()', 'const a = [3, 20, 100].sort((a, b) => a - b)'),
      bad(
        "const a = text.split(',').map(Number).sort()",
        "const a = text.split(',').map(Number).sort((a, b) => a - b)",
      ),
      bad(
        'const a = words.map(parseFloat).toSorted()',
        'const a = words.map(parseFloat).toSorted((a, b) => a - b)',
      ),
    ],
    good: ["['b', 'a'].sort()", 'list.sort()', '[3, 20].sort((a, b) => b - a)', 'words.map(String).sort()'],
  },
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
})
