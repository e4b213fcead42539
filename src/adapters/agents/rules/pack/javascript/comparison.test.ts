import { bad, testRules } from '../../../../../../test/fixtures/rule-table.ts'
import { javascriptComparisonRules } from './comparison.ts'

testRules(javascriptComparisonRules, {
  'js/compare-nan': {
    bad: [
      bad('if (total === NaN) retry()', 'if (Number.isNaN(total)) retry()'),
      bad('const ok = parse(a, b) != Number.NaN', 'const ok = !Number.isNaN(parse(a, b))'),
      bad('while (NaN == a + b) next()', 'while (Number.isNaN(a + b)) next()'),
    ],
    good: ['if (Number.isNaN(total)) retry()', "if (name === 'NaN') retry()", 'const empty = NaN', 'a + NaN'],
  },
  'js/negated-operand': {
    bad: [
      bad('if (!key in cache) load(key)', 'if (!(key in cache)) load(key)'),
      bad(
        'if (!error instanceof TypeError && x) throw error',
        'if (!(error instanceof TypeError) && x) throw error',
      ),
      bad('const few = !list.length > 3', 'const few = !(list.length > 3)'),
    ],
    good: [
      'if (!(key in cache)) load(key)',
      'if ((!key) in cache) load(key)',
      'if (!a === b) c()',
      '!!a < b',
    ],
  },
  'js/typeof-typo': {
    bad: [
      bad("if (typeof x === 'undfined') y()", "if (typeof x === 'undefined') y()"),
      bad('if (typeof x != "String") y()', 'if (typeof x != "string") y()'),
      bad('if (typeof x === undefined) y()', "if (typeof x === 'undefined') y()"),
      bad("if (typeof x === 'array') y()"),
    ],
    good: ["typeof x === 'function'", "typeof x !== 'bigint'", 'typeof a === typeof b', "x === 'array'"],
  },
  'js/identical-operands': {
    bad: [
      bad('if (a.width === a.width) draw()'),
      bad('if (start <= start) draw()'),
      bad('if (user.name && user.name) draw()'),
    ],
    good: [
      'if (x === x) y()',
      'if (x !== x) y()',
      'if (read() || read()) y()',
      'a.width === b.width',
      'a && b && a',
    ],
  },
  'js/loose-equality': {
    bad: [
      bad("if (typeof x == 'string') y()", "if (typeof x === 'string') y()"),
      bad('if (list.length != 0) y()', 'if (list.length !== 0) y()'),
      bad('if (text.indexOf(word) == -1) y()', 'if (text.indexOf(word) === -1) y()'),
      bad("if (answer == 'yes') y()"),
      bad('if (flag == true) y()'),
      bad('if (a?.length == 0) y()'),
    ],
    good: ['if (x == null) y()', 'if (x != undefined) y()', 'if (a == b) y()', "if (a === 'x') y()"],
  },
  'js/assignment-in-condition': {
    bad: [
      bad('if (mode = 1) go()', 'if (mode === 1) go()'),
      bad('if (a.id = b.id) go()', 'if (a.id === b.id) go()'),
      bad('while (done = false) go()', 'while (done === false) go()'),
      bad('if (a = b) go()'),
    ],
    good: [
      'while (match = pattern.exec(text)) go()',
      'while (node = node.parent) go()',
      'if ((a = b)) go()',
      'if (next = node.next) go(next)',
      'if (a = find()) go()',
      'if (a === b) go()',
    ],
  },
  'js/literal-alternative': {
    bad: [
      bad("if (kind === 'a' || 'b') go()", "if (kind === 'a' || kind === 'b') go()"),
      bad("if (kind !== 'a' && 'b') go()", "if (kind !== 'a' && kind !== 'b') go()"),
      bad("if (read() == 'a' || 'b') go()"),
      bad('const x = (n === 1 || n === 2 || 3) ? a : b', 'const x = (n === 1 || n === 2 || n === 3) ? a : b'),
    ],
    good: [
      "const label = kind === 'a' || 'none'",
      "if (kind === 'a' || other) go()",
      "if (name || 'none') go()",
      "if (kind === 'a' && 'b') go()",
      "const f = a === 'x' ? b || 'c' : d",
    ],
  },
  'js/bitwise-comparison': {
    bad: [
      bad('if (a !== null & a.length > 0) go()', 'if (a !== null && a.length > 0) go()'),
      bad('while ((a > 0) | (b > 0)) go()', 'while ((a > 0) || (b > 0)) go()'),
    ],
    good: [
      'if (flags & mask) go()',
      'const x = (a > 0) & (b > 0)',
      'if (a > 0 && b > 0) go()',
      'if ((a & 1) === 0) go()',
    ],
  },
  'js/negative-length': {
    bad: [
      bad('if (items.length >= 0) show(items)', 'if (items.length > 0) show(items)'),
      bad('if (set.size < 0) return_()', 'if (set.size === 0) return_()'),
    ],
    good: [
      'if (items.length > 0) show()',
      'if (items?.length >= 0) show()',
      "const like = typeof x.length === 'number' && x.length >= 0",
      'for (let i = items.length; i >= 0; i--) show()',
    ],
  },
  'js/compare-fresh-object': {
    bad: [
      bad('if (items === []) none()'),
      bad('if (options !== {}) use()'),
      bad('if (/a/ === pattern) use()'),
    ],
    good: [
      'if (items.length === 0) none()',
      'if (a === b) use()',
      'const x = a || []',
      "if (text === '[]') none()",
    ],
  },
})
