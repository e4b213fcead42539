import { removeRepeatedEntry, replace } from '../../engine/edits.ts'
import { argumentsOf, hasKind, stringValue } from '../../engine/node.ts'
import { comparisonOf, isText } from './syntax.ts'
import type { Node, Rule } from '../../engine/rule.ts'
import { defaultToNone } from './default-to-none.ts'

const anyKind = (...kinds: readonly string[]) => ({ any: kinds.map((kind) => ({ kind })) })

/** Where a comparison decides something; elsewhere it may build a query, as ORMs and data frames have it. */
const deciding = [
  'assert_statement',
  'boolean_operator',
  'conditional_expression',
  'elif_clause',
  'if_clause',
  'if_statement',
  'not_operator',
  'while_statement',
]

export const pythonValueRules: readonly Rule[] = [
  {
    id: 'py/mutable-default',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Mutable default argument',
    message: 'The default is made once, when the function is defined, and shared by all calls.',
    why: 'What one call adds to it is still there in the next one.',
    advice: 'Use None as default and make the value inside of the function.',
    references: [
      'https://docs.python.org/3/faq/programming.html#why-are-default-values-shared-between-objects',
    ],
    effort: 1,
    query: {
      rule: {
        ...anyKind('default_parameter', 'typed_default_parameter'),
        has: {
          field: 'value',
          any: [
            ...['list', 'dictionary', 'set', 'list_comprehension', 'dictionary_comprehension'].map(
              (kind) => ({ kind }),
            ),
            { kind: 'call', regex: '^(?:list|dict|set|deque|defaultdict|OrderedDict|Counter)\\(' },
          ],
        },
        inside: { kind: 'parameters' },
      },
    },
    // A shared default is the point of a cache kept in a parameter.
    accepts: (node) => !/^_|cache|memo/i.test(node.field('name')?.text() ?? ''),
    fix: defaultToNone,
  },
  {
    id: 'py/none-comparison',
    languages: ['Python'],
    severity: 'minor',
    category: 'correctness',
    title: 'None compared with ==',
    message:
      '`==` asks the other object, which may answer anything; None is one object, so ask for identity.',
    why: 'Objects with their own comparison, such as arrays, give a list of results or a wrong one.',
    references: ['https://peps.python.org/pep-0008/#programming-recommendations'],
    effort: 1,
    query: { rule: { kind: 'comparison_operator', has: { kind: 'none' }, inside: anyKind(...deciding) } },
    accepts: (node) => {
      const operator = comparisonOf(node)?.operator.text()
      const buildsQuery = node
        .ancestors()
        .some((around) => hasKind(around, 'argument_list', 'subscript', 'lambda'))
      return (operator === '==' || operator === '!=') && !buildsQuery
    },
    fix: (node) => {
      const operator = comparisonOf(node)?.operator
      return operator ? [replace(operator, operator.text() === '==' ? 'is' : 'is not')] : null
    },
  },
  {
    id: 'py/is-literal',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Identity comparison with a literal',
    message: '`is` compares identities; whether two equal literals are one object is up to the interpreter.',
    why: 'The check works for some values and versions and fails for others.',
    references: ['https://docs.python.org/3/reference/expressions.html#is-not'],
    effort: 1,
    query: {
      rule: {
        kind: 'comparison_operator',
        has: anyKind(
          'string',
          'concatenated_string',
          'integer',
          'float',
          'list',
          'dictionary',
          'tuple',
          'set',
        ),
      },
    },
    accepts: (node) => /^is\b/.test(comparisonOf(node)?.operator.text() ?? ''),
    fix: (node) => {
      const operator = comparisonOf(node)?.operator
      return operator ? [replace(operator, operator.text() === 'is' ? '==' : '!=')] : null
    },
  },
  {
    id: 'py/negative-length',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Length compared with less than zero',
    message: 'A length is never negative, so this comparison always has the same result.',
    why: 'A check for "empty" or "not empty" written this way lets the empty case through.',
    effort: 1,
    query: { rule: { kind: 'comparison_operator', has: { kind: 'call', regex: '^len\\(' } } },
    accepts: (node) => {
      const parts = comparisonOf(node)
      if (!parts || !hasKind(parts.left, 'call') || parts.right.text() !== '0') return false
      return ['<', '>='].includes(parts.operator.text())
    },
    fix: (node) => {
      const operator = comparisonOf(node)?.operator
      return operator ? [replace(operator, operator.text() === '<' ? '==' : '>')] : null
    },
  },
  {
    id: 'py/duplicate-key',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'Duplicate key in a dictionary',
    message: 'An earlier entry of this dictionary has the same key and is overwritten by this one.',
    why: 'One of the two values is silently lost, and which one was meant is not visible.',
    advice: 'Keep the entry that is meant, or give one of them another key.',
    effort: 1,
    query: { rule: { kind: 'dictionary' } },
    locate: duplicateEntries,
    fix: removeRepeatedEntry,
  },
  {
    id: 'py/repeated-list',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'List of one repeated object',
    message: 'Multiplying a list repeats references: every element is the same inner object.',
    why: 'A grid made this way changes in every row when one cell is written.',
    references: ['https://docs.python.org/3/faq/programming.html#how-do-i-create-a-multidimensional-list'],
    effort: 1,
    query: {
      rule: {
        kind: 'binary_operator',
        all: [{ has: { field: 'operator', regex: '^\\*$' } }, { has: { field: 'left', kind: 'list' } }],
      },
    },
    accepts: (node) => {
      const items = node.field('left')?.namedChildren() ?? []
      return items.length === 1 && isMutableLiteral(items[0])
    },
    fix: (node) => {
      const [item] = node.field('left')?.namedChildren() ?? []
      return item ? [replace(node, `[${item.text()} for _ in range(${node.field('right')?.text()})]`)] : null
    },
  },
  {
    id: 'py/strip-affix',
    languages: ['Python'],
    severity: 'major',
    category: 'correctness',
    title: 'strip used to remove a prefix or suffix',
    message: 'lstrip and rstrip remove any of the given characters, not the text as a whole.',
    why: '`"happy.py".rstrip(".py")` gives "ha": names lose letters that they need.',
    references: ['https://docs.python.org/3/library/stdtypes.html#str.removesuffix'],
    effort: 1,
    query: {
      rule: {
        kind: 'call',
        has: { field: 'function', kind: 'attribute', has: { field: 'attribute', regex: '^[lr]strip$' } },
      },
    },
    accepts: (node) => {
      const [affix, ...others] = argumentsOf(node)
      const value = others.length === 0 ? (stringValue(affix) ?? '') : ''
      const isRight = node.field('function')?.field('attribute')?.text() === 'rstrip'
      return isRight
        ? /^\.[A-Za-z]\w+$/.test(value)
        : /^(?:[a-z]+:\/\/|[\w.-]*[A-Za-z]{2}[\w.-]*\/)$/.test(value)
    },
    fix: (node) => {
      const name = node.field('function')?.field('attribute')
      return name ? [replace(name, name.text() === 'rstrip' ? 'removesuffix' : 'removeprefix')] : null
    },
  },
  {
    id: 'py/utcnow',
    languages: ['Python'],
    severity: 'minor',
    category: 'correctness',
    title: 'Time in UTC without a time zone',
    message:
      'utcnow and utcfromtimestamp give a time without zone, which everything else takes for local time.',
    why: 'timestamp() and comparisons are off by the local offset, and the functions are deprecated.',
    advice: 'Use datetime.now(timezone.utc), and keep times with a zone throughout.',
    references: ['https://docs.python.org/3/library/datetime.html#datetime.datetime.utcnow'],
    effort: 2,
    query: {
      rule: {
        kind: 'call',
        has: { field: 'function', regex: '^(?:datetime\\.)?datetime\\.(?:utcnow|utcfromtimestamp)$' },
      },
    },
  },
]

function duplicateEntries(dictionary: Node): Node[] {
  const seen = new Set<string>()
  return dictionary.namedChildren().filter((entry) => {
    if (hasKind(entry, 'dictionary_splat')) seen.clear()
    const key = hasKind(entry, 'pair') ? entry.field('key') : null
    if (!key || !(isText(key) || hasKind(key, 'integer'))) return false
    const name = stringValue(key) === null ? key.text() : `'${stringValue(key)}'`
    const isDuplicate = seen.has(name)
    seen.add(name)
    return isDuplicate
  })
}

function isMutableLiteral(node: Node | undefined): boolean {
  if (!node) return false
  if (hasKind(node, 'list', 'dictionary', 'set', 'list_comprehension', 'dictionary_comprehension'))
    return true
  return hasKind(node, 'binary_operator') && hasKind(node.field('left'), 'list')
}
