import { insertBefore, replace } from '../../engine/edits.ts'
import { binary, calleeName, isCondition, methodCall } from './syntax.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { argumentsOf, hasKind, isAsync, isFunction } from '../../engine/node.ts'
import type { Node, Rule } from '../../engine/rule.ts'

export const javascriptArrayRules: readonly Rule[] = [
  {
    id: 'js/shared-fill',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Array filled with one shared object',
    message: 'fill() puts the same object into every element, so a change to one shows in all.',
    why: 'Grids and buckets made this way corrupt each other as soon as one of them is written to.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/fill'],
    effort: 1,
    query: {
      rule: { any: [{ pattern: 'new Array($N).fill($VALUE)' }, { pattern: 'Array($N).fill($VALUE)' }] },
      constraints: { VALUE: { any: [{ kind: 'array' }, { kind: 'object' }, { kind: 'new_expression' }] } },
    },
    accepts: (node) => !hasKind(node.getMatch('N'), 'spread_element'),
    fix: (node) => {
      const value = node.getMatch('VALUE')
      const made = hasKind(value, 'object') ? `(${value?.text()})` : value?.text()
      return [replace(node, `Array.from({ length: ${node.getMatch('N')?.text()} }, () => ${made})`)]
    },
  },
  {
    id: 'js/numeric-sort',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Numbers sorted as text',
    message: 'Without a comparator sort() orders numbers by their text, so 10 comes before 9.',
    why: 'The result looks sorted for small samples and is wrong as soon as the digits differ in count.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/sort'],
    effort: 1,
    query: { rule: { any: [{ pattern: '$LIST.sort()' }, { pattern: '$LIST.toSorted()' }] } },
    accepts: (node) => isNumberList(node.getMatch('LIST')),
    fix: (node) => {
      const list = node.field('arguments')
      return list && [replace(list, '((a, b) => a - b)')]
    },
  },
  {
    id: 'js/in-array',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: '`in` used to look for a value in an array',
    message: '`in` looks at the indexes of an array, not at its values.',
    why: 'The check is false for every value that is not by chance an index.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/in'],
    effort: 1,
    query: { rule: { all: [binary('in'), { has: { field: 'right', kind: 'array' } }] } },
    accepts: (node) => !hasKind(node.field('left'), 'number', 'private_property_identifier'),
    fix: (node) => [replace(node, `${node.field('right')?.text()}.includes(${node.field('left')?.text()})`)],
  },
  {
    id: 'js/parseint-map',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'parseInt passed to map',
    message: 'map passes the index as second argument, which parseInt takes for the radix.',
    why: "`['10', '10', '10'].map(parseInt)` gives 10, NaN and 2.",
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/map'],
    effort: 1,
    query: { rule: { any: [{ pattern: '$LIST.map(parseInt)' }, { pattern: '$LIST.map(Number.parseInt)' }] } },
    fix: (node) => {
      const [callback] = argumentsOf(node)
      return callback ? [replace(callback, `(value) => ${callback.text()}(value, 10)`)] : null
    },
  },
  {
    id: 'js/indexof-truthiness',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Result of indexOf used as a truth value',
    message: 'indexOf is -1, which is true, when nothing is found, and 0, which is false, at the start.',
    why: 'The branch is taken when the value is missing and not taken when it comes first.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/includes'],
    effort: 1,
    query: { rule: methodCall('indexOf') },
    accepts: (node) => argumentsOf(node).length === 1 && isCondition(node),
    fix: (node) => {
      const name = node.field('function')?.field('property')
      return name ? [replace(name, 'includes')] : null
    },
  },
  {
    id: 'js/missing-callback-return',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Callback returns nothing',
    message: 'This method uses the value that its callback returns, and the callback never returns one.',
    why: 'filter and every see undefined as false, map gives a list of undefined, reduce loses its total.',
    advice: 'Return the value, or use forEach or a loop if none is meant.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/filter'],
    effort: 1,
    query: {
      rule: {
        kind: 'arrow_function',
        has: { field: 'body', kind: 'statement_block' },
        inside: {
          kind: 'arguments',
          inside: methodCall('filter|some|every|findIndex|map|flatMap|reduce|sort'),
        },
      },
    },
    accepts: neverReturns,
    fix: (node) => {
      const body = node.field('body')?.namedChildren() ?? []
      const [value] = body[0]?.namedChildren() ?? []
      const isOneValue = body.length === 1 && hasKind(body[0], 'expression_statement') && value !== undefined
      const isEffect = hasKind(
        value,
        'assignment_expression',
        'augmented_assignment_expression',
        'update_expression',
      )
      if (!isOneValue || isEffect || /^(?:await\b|console\.)/.test(value.text())) return null
      return [insertBefore(value, 'return ')]
    },
  },
]

function isNumberList(node: Node | null): boolean {
  if (hasKind(node, 'array')) {
    const items = node?.namedChildren() ?? []
    return items.length > 1 && items.every((item) => /^-?[\d._]+$/.test(item.text()))
  }
  if (!node || !hasKind(node, 'call_expression') || calleeName(node) !== 'map') return false
  return /^(?:Number|parseFloat|Number\.parseFloat)$/.test(argumentsOf(node)[0]?.text() ?? '')
}

function neverReturns(callback: Node): boolean {
  const body = callback.field('body')
  const list = callback.parent()
  const call = list?.parent()
  if (!body || !call || isAsync(callback) || argumentsOf(call)[0]?.id() !== callback.id()) return false
  if (calleeName(call) === 'map' && hasKind(call.parent(), 'expression_statement')) return false
  if (body.namedChildren().every((child) => hasKind(child, 'comment'))) return false
  return !leaves(body)
}

/** True when a return or throw of the function itself, not of one inside of it, stands below the node. */
function leaves(node: Node): boolean {
  if (hasKind(node, 'return_statement', 'throw_statement')) return true
  return node.namedChildren().some((child) => !isFunction(child) && leaves(child))
}
