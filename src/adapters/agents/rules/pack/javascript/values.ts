import { insertAfter, insertBefore, removeRepeatedEntry, replace } from '../../edits.ts'
import {
  argumentsOf,
  binary,
  calleeName,
  isAsync,
  isCondition,
  isDeclaredAround,
  isFunction,
  isOptionalChain,
  keyOf,
  methodCall,
} from '../../javascript-syntax.ts'
import { javascriptFamily } from '../../language.ts'
import { hasKind } from '../../node.ts'
import type { Node, Rule } from '../../rule.ts'

export const javascriptValueRules: readonly Rule[] = [
  {
    id: 'js/duplicate-key',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Duplicate key in an object literal',
    message: 'An earlier entry of this object has the same key and is overwritten by this one.',
    why: 'One of the two values is silently lost, and which one was meant is not visible.',
    advice: 'Keep the entry that is meant, or give one of them another name.',
    references: ['CWE-1164'],
    effort: 1,
    query: { rule: { kind: 'object' } },
    locate: duplicateEntries,
    fix: removeRepeatedEntry,
  },
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
    id: 'js/direct-hasown',
    languages: javascriptFamily,
    severity: 'minor',
    category: 'correctness',
    title: 'hasOwnProperty called on the object itself',
    message: 'The object may have no such method, or one of its own; Object.hasOwn works for all.',
    why: 'Objects without a prototype throw here, and input with a key "hasOwnProperty" decides the answer.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Object/hasOwn'],
    effort: 1,
    query: { rule: { pattern: '$OBJECT.hasOwnProperty($KEY)' } },
    accepts: (node) => {
      const callee = node.field('function')
      const isOwn = hasKind(node.getMatch('OBJECT'), 'super')
      return callee !== null && !isOwn && !isOptionalChain(callee)
    },
    fix: 'Object.hasOwn($OBJECT, $KEY)',
  },
  {
    id: 'js/template-in-string',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Placeholder in a plain string',
    message: 'Only template strings in backticks fill in ${…}; here it stays in the text as written.',
    why: 'Users, logs and queries get the name of the variable instead of its value.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Template_literals'],
    effort: 1,
    query: { rule: { kind: 'string', regex: '\\$\\{[A-Za-z_]' } },
    accepts: isMeantAsTemplate,
    fix: (node) => {
      const text = node.text().slice(1, -1)
      return [replace(node, `\`${text.replaceAll(/\\(["'])/g, '$1')}\``)]
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
        inside: { kind: 'arguments', inside: methodCall('filter|some|every|findIndex|map|flatMap|reduce|sort') },
      },
    },
    accepts: neverReturns,
    fix: (node) => {
      const body = node.field('body')?.namedChildren() ?? []
      const [value] = body[0]?.namedChildren() ?? []
      const isOneValue = body.length === 1 && hasKind(body[0], 'expression_statement') && value !== undefined
      const isEffect = hasKind(value, 'assignment_expression', 'augmented_assignment_expression', 'update_expression')
      if (!isOneValue || isEffect || /^(?:await\b|console\.)/.test(value.text())) return null
      return [insertBefore(value, 'return ')]
    },
  },
  {
    id: 'js/unsafe-optional-member',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Optional chain cut off by parentheses',
    message: 'The parentheses end the optional chain, so the access after them throws on undefined.',
    why: 'The `?.` says that the value may be missing, and exactly then this line throws a TypeError.',
    advice: 'Read the value first and check it, or make the whole access one optional chain.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/Optional_chaining'],
    effort: 1,
    query: {
      rule: {
        any: [
          { kind: 'member_expression', has: { field: 'object', kind: 'parenthesized_expression' } },
          { kind: 'subscript_expression', has: { field: 'object', kind: 'parenthesized_expression' } },
          { kind: 'call_expression', has: { field: 'function', kind: 'parenthesized_expression' } },
        ],
      },
    },
    accepts: (node) => {
      const [inner] = (node.field('object') ?? node.field('function'))?.namedChildren() ?? []
      const continues = node.children().some((child) => hasKind(child, 'optional_chain'))
      return inner !== undefined && !continues && isOptionalChain(inner)
    },
    fix: (node) => {
      const wrapped = node.field('object') ?? node.field('function')
      const [inner] = wrapped?.namedChildren() ?? []
      const isTarget = hasKind(node.parent(), 'assignment_expression', 'augmented_assignment_expression', 'update_expression')
      const isTag = hasKind(node.field('arguments'), 'template_string')
      return wrapped && inner && !isTarget && !isTag ? [replace(wrapped, inner.text())] : null
    },
  },
  {
    id: 'js/unsafe-optional-unpack',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Optional chain unpacked without a default',
    message: 'Destructuring or spreading undefined throws, and the `?.` says that it may be undefined.',
    why: 'The code is protected against a missing value and still throws a TypeError in exactly that case.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/Optional_chaining'],
    effort: 1,
    query: {
      rule: {
        any: [
          { kind: 'variable_declarator', has: { field: 'name', any: [{ kind: 'object_pattern' }, { kind: 'array_pattern' }] } },
          { kind: 'spread_element', inside: { any: [{ kind: 'array' }, { kind: 'arguments' }] } },
        ],
      },
    },
    accepts: (node) => {
      const value = unpackedValue(node)
      return value !== null && isOptionalChain(value)
    },
    fix: (node) => {
      const value = unpackedValue(node)
      if (!value) return null
      if (hasKind(node, 'spread_element')) return [replace(value, `(${value.text()} ?? [])`)]
      return [insertAfter(value, hasKind(node.field('name'), 'object_pattern') ? ' ?? {}' : ' ?? []')]
    },
  },
]

function duplicateEntries(object: Node): Node[] {
  const seen = new Set<string>()
  return object.namedChildren().filter((entry) => {
    // What a spread brings may be meant to be overwritten.
    if (hasKind(entry, 'spread_element')) seen.clear()
    if (!hasKind(entry, 'pair', 'method_definition', 'shorthand_property_identifier')) return false
    const key = keyOf(entry)
    if (key === null || key === '__proto__') return false
    const isDuplicate = seen.has(key)
    seen.add(key)
    return isDuplicate
  })
}

function isNumberList(node: Node | null): boolean {
  if (hasKind(node, 'array')) {
    const items = node?.namedChildren() ?? []
    return items.length > 1 && items.every((item) => /^-?[\d._]+$/.test(item.text()))
  }
  if (!node || !hasKind(node, 'call_expression') || calleeName(node) !== 'map') return false
  return /^(?:Number|parseFloat|Number\.parseFloat)$/.test(argumentsOf(node)[0]?.text() ?? '')
}

/** Every placeholder begins with a name that is declared around the string, and no template language is near. */
function isMeantAsTemplate(node: Node): boolean {
  const text = node.text().slice(1, -1)
  const names = [...text.matchAll(/\$\{([A-Za-z_$][\w$]*)(?:\.[\w$]+)*\}/g)].map((found) => found[1] ?? '')
  const isSimple = names.length === text.split('${').length - 1 && !/`|\\[^"']/.test(text)
  if (!isSimple || hasKind(node.parent(), 'jsx_attribute', 'import_statement', 'literal_type')) return false
  if (hasKind(node.parent(), 'pair') && node.parent()?.field('key')?.id() === node.id()) return false
  const call = node.parent()?.parent()
  const isTemplateTool = call && hasKind(call, 'call_expression') && /^(?:replace|replaceAll|split|test|compile|template)$/.test(calleeName(call))
  return !isTemplateTool && names.every((name) => isDeclaredAround(node, name))
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

function unpackedValue(node: Node): Node | null {
  return hasKind(node, 'spread_element') ? (node.namedChildren()[0] ?? null) : node.field('value')
}
