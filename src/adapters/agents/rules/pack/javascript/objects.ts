import { insertAfter, removeRepeatedEntry, replace } from '../../engine/edits.ts'
import { calleeName, isDeclaredAround, isOptionalChain, keyOf } from './syntax.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { hasKind } from '../../engine/node.ts'
import type { Node, Rule } from '../../engine/rule.ts'

export const javascriptObjectRules: readonly Rule[] = [
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
      const isTarget = hasKind(
        node.parent(),
        'assignment_expression',
        'augmented_assignment_expression',
        'update_expression',
      )
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
          {
            kind: 'variable_declarator',
            has: { field: 'name', any: [{ kind: 'object_pattern' }, { kind: 'array_pattern' }] },
          },
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

/** Every placeholder begins with a name that is declared around the string, and no template language is near. */
function isMeantAsTemplate(node: Node): boolean {
  const text = node.text().slice(1, -1)
  const names = [...text.matchAll(/\$\{([A-Za-z_$][\w$]*)(?:\.[\w$]+)*\}/g)].map((found) => found[1] ?? '')
  const isSimple = names.length === text.split('${').length - 1 && !/`|\\[^"']/.test(text)
  if (!isSimple || hasKind(node.parent(), 'jsx_attribute', 'import_statement', 'literal_type')) return false
  if (hasKind(node.parent(), 'pair') && node.parent()?.field('key')?.id() === node.id()) return false
  const call = node.parent()?.parent()
  const isTemplateTool =
    call &&
    hasKind(call, 'call_expression') &&
    /^(?:replace|replaceAll|split|test|compile|template)$/.test(calleeName(call))
  return !isTemplateTool && names.every((name) => isDeclaredAround(node, name))
}

function unpackedValue(node: Node): Node | null {
  return hasKind(node, 'spread_element') ? (node.namedChildren()[0] ?? null) : node.field('value')
}
