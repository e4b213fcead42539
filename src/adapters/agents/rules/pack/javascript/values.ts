import { insertBefore, replace } from '../../engine/edits.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { argumentsOf, hasKind, isAsync, isFunction } from '../../engine/node.ts'
import type { Node, PatternRule } from '../../engine/rule.ts'
import { binary, calleeName, isCondition, isDeclaredAround, isOptionalChain, methodCall } from './syntax.ts'

export const javascriptValueRules: readonly PatternRule[] = [
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
    hint: /\bin\s*\[/,
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
    hint: /parseInt\s*\)/,
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
    hint: /indexOf/,
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
    hint: /\.(?:filter|some|every|findIndex|map|flatMap|reduce|sort)\s*(?:<[^>]*>)?\([^)]*=>\s*\{|\.(?:filter|some|every|findIndex|map|flatMap|reduce|sort)\(\s*(?:async\s*)?\(/,
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
  {
    id: 'js/negative-length',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Length compared with less than zero',
    message: 'A length is never negative, so this comparison always has the same result.',
    why: 'A check for "empty" or "not empty" written this way lets the empty case through.',
    effort: 1,
    hint: /\.(?:length|size)\s*(?:<|>=)\s*0/,
    query: {
      rule: {
        all: [
          binary('<|>='),
          { has: { field: 'right', regex: '^0$' } },
          {
            has: {
              field: 'left',
              kind: 'member_expression',
              has: { field: 'property', regex: '^(?:length|size)$' },
            },
          },
        ],
      },
    },
    accepts: (node) => {
      // `typeof x.length === 'number' && x.length >= 0` asks whether x is array-like.
      const around = node.parent()
      const asksForType = around?.kind() === 'binary_expression' && around.text().includes('typeof')
      return !asksForType && !isOptionalChain(operands(node)[0])
    },
    fix: (node) => {
      const operator = node.field('operator')
      return operator && [replace(operator, operator.text() === '<' ? '===' : '>')]
    },
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
    hint: /['"][^'"`\n]*\$\{[A-Za-z_]/,
    query: { rule: { kind: 'string', regex: '\\$\\{[A-Za-z_]' } },
    accepts: isMeantAsTemplate,
    fix: (node) => {
      const text = node.text().slice(1, -1)
      return [replace(node, `\`${text.replaceAll(/\\(["'])/g, '$1')}\``)]
    },
  },
]

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

function operands(node: Node): readonly [Node, Node] {
  return [node.field('left') ?? node, node.field('right') ?? node]
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
