import { insertAt, replaceNode } from '../engine/edits.ts'
import { javascriptFamily } from '../engine/language.ts'
import type { TreeRule } from '../engine/rule.ts'
import {
  ancestorsOf,
  at,
  calleeName,
  fixedText,
  isA,
  isFunction,
  isMethodCall,
  listAt,
  fieldOf,
  type Tree,
  type TreeNode,
} from '../engine/tree.ts'
import { mayBeCondition, mayBeMeantAsTemplate, mayReturnNothing } from './hints.ts'
import { isMeantAsTemplate } from './texts.ts'

const value = {
  languages: javascriptFamily,
  severity: 'major',
  category: 'correctness',
  effort: 1,
} as const satisfies Partial<TreeRule>

/** Values that are not what they are taken for. */
export const valueRules: readonly TreeRule[] = [
  {
    ...value,
    id: 'js/in-array',
    done: 'look for the value with includes',
    title: '`in` used to look for a value in an array',
    message: '`in` looks at the indexes of an array, not at its values.',
    why: 'The check is false for every value that is not by chance an index.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/in'],
    hint: /\bin\s*\[/,
    types: ['BinaryExpression'],
    accepts: (node) =>
      fieldOf(node, 'operator') === 'in' &&
      isA(at(node, 'right'), 'ArrayExpression') &&
      !isA(at(node, 'left'), 'PrivateIdentifier') &&
      !(isA(at(node, 'left'), 'Literal') && fixedText(at(node, 'left')) === null),
    fix: (node, { textOf }) => {
      const [left, right] = [at(node, 'left'), at(node, 'right')]
      return left && right && [replaceNode(node, `${textOf(right)}.includes(${textOf(left)})`)]
    },
  },
  {
    ...value,
    id: 'js/parseint-map',
    done: 'give parseInt its radix',
    title: 'parseInt passed to map',
    message: 'map passes the index as second argument, which parseInt takes for the radix.',
    why: "`['10', '10', '10'].map(parseInt)` gives 10, NaN and 2.",
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/map'],
    hint: /parseInt\s*\)/,
    types: ['CallExpression'],
    accepts: (node, { textOf }) => {
      const [callback, ...others] = listAt(node, 'arguments')
      const isAlone = callback !== undefined && others.length === 0
      // One value that may be missing is given alone.
      const isOfOne = /\b(?:Optional|Option|Maybe|Some|Just)\b[.\w]*\(/.test(textOf(node))
      const isParse = isAlone && /^(?:Number\.)?parseInt$/.test(textOf(callback))
      return isMethodCall(node, /^map$/) && isParse && !isOfOne
    },
    fix: (node, { textOf }) => {
      const [callback] = listAt(node, 'arguments')
      return callback ? [replaceNode(callback, `(value) => ${textOf(callback)}(value, 10)`)] : null
    },
  },
  {
    ...value,
    id: 'js/indexof-truthiness',
    done: 'use includes',
    title: 'Result of indexOf used as a truth value',
    message: 'indexOf is -1, which is true, when nothing is found, and 0, which is false, at the start.',
    why: 'The branch is taken when the value is missing and not taken when it comes first.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/includes'],
    hint: { test: mayBeCondition },
    types: ['CallExpression'],
    accepts: (node, tree) =>
      isMethodCall(node, /^indexOf$/) && listAt(node, 'arguments').length === 1 && isCondition(node, tree),
    fix: (node) => {
      const name = at(at(node, 'callee'), 'property')
      return name && [replaceNode(name, 'includes')]
    },
  },
  {
    ...value,
    id: 'js/missing-callback-return',
    done: 'return the value of the callback',
    title: 'Callback returns nothing',
    message: 'This method uses the value that its callback returns, and the callback never returns one.',
    why: 'filter and every see undefined as false, map gives a list of undefined, reduce loses its total.',
    advice: 'Return the value, or use forEach or a loop if none is meant.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Array/filter'],
    hint: { test: mayReturnNothing },
    types: ['ArrowFunctionExpression'],
    accepts: neverReturns,
    fix: (node, { textOf }) => {
      const [only, ...others] = listAt(at(node, 'body'), 'body')
      const result = isA(only, 'ExpressionStatement') && others.length === 0 ? at(only, 'expression') : null
      if (!result || isEffect.test(result.type) || textOf(result).startsWith('console.')) return null
      return [insertAt(result.start, 'return ')]
    },
  },
  {
    ...value,
    id: 'js/negative-length',
    done: 'compare the length with zero',
    title: 'Length compared with less than zero',
    message: 'A length is never negative, so this comparison always has the same result.',
    why: 'A check for "empty" or "not empty" written this way lets the empty case through.',
    hint: /\.length\s*(?:<|>=)\s*0/,
    types: ['BinaryExpression'],
    accepts: (node, { parentOf, textOf }) => {
      const [left, right] = [at(node, 'left'), at(node, 'right')]
      // A size may be a field of the program's own, which means something below zero.
      const isLength =
        isA(left, 'MemberExpression') && fieldOf(at(left, 'property') ?? left, 'name') === 'length'
      if (!isLength || !right || textOf(right) !== '0') return false
      // `typeof x.length === 'number' && x.length >= 0` asks whether x is array-like, and `x.length >= 0 && x.length < 3` names a range.
      const around = parentOf(node)
      const isPart =
        isA(around, 'LogicalExpression') &&
        (textOf(around).includes('typeof') || textOf(around).split(textOf(left)).length > 2)
      return ['<', '>='].includes(String(fieldOf(node, 'operator'))) && !isPart
    },
    fix: (node, { source }) => {
      const [left, right] = [at(node, 'left'), at(node, 'right')]
      if (!left || !right) return null
      const found = /<|>=/.exec(source.slice(left.end, right.start))
      const start = left.end + (found?.index ?? 0)
      return found && [{ start, end: start + found[0].length, text: found[0] === '<' ? '===' : '>' }]
    },
  },
  {
    ...value,
    id: 'js/template-in-string',
    done: 'fill in the placeholder',
    title: 'Placeholder in a plain string',
    message: 'Only template strings in backticks fill in ${…}; here it stays in the text as written.',
    why: 'Users, logs and queries get the name of the variable instead of its value.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Template_literals'],
    hint: { test: mayBeMeantAsTemplate },
    types: ['Literal'],
    accepts: isMeantAsTemplate,
    fix: (node, { textOf }) => {
      const text = textOf(node).slice(1, -1)
      return [replaceNode(node, `\`${text.replaceAll(/\\(["'])/g, '$1')}\``)]
    },
  },
]

/** True where only the truth of the value matters: a condition, or a part of one. */
function isCondition(node: TreeNode, tree: Tree): boolean {
  const parent = tree.parentOf(node)
  if (isA(parent, 'LogicalExpression') && fieldOf(parent, 'operator') !== '??')
    return isCondition(parent, tree)
  const asks = ['IfStatement', 'WhileStatement', 'DoWhileStatement', 'ConditionalExpression']
  return isA(parent, ...asks) && at(parent, 'test') === node
}

const isEffect = /^(?:Assignment|Update|Await)Expression$/
const usesResult = /^(?:filter|some|every|findIndex|map|flatMap|reduce|sort)$/

function neverReturns(callback: TreeNode, tree: Tree): boolean {
  const call = tree.parentOf(callback)
  const body = at(callback, 'body')
  if (!call || !isMethodCall(call, usesResult) || listAt(call, 'arguments')[0] !== callback) return false
  if (!isA(body, 'BlockStatement') || fieldOf(callback, 'async') === true) return false
  // `TE.map` and its like are no methods of a list.
  if (/^[A-Z]\w*\./.test(tree.textOf(call))) return false
  const around = tree.parentOf(call)
  const whole = isA(around, 'ChainExpression') ? tree.parentOf(around) : around
  if (calleeName(call) === 'map' && isA(whole, 'ExpressionStatement')) return false
  return listAt(body, 'body').length > 0 && !leaves(callback, tree)
}

/** True when a return or throw of the function itself, not of one inside of it, stands in it. */
const leaves = (callback: TreeNode, tree: Tree): boolean =>
  tree.nodes.some(
    (node) =>
      isA(node, 'ReturnStatement', 'ThrowStatement') &&
      node.start > callback.start &&
      node.end < callback.end &&
      ancestorsOf(node, tree).find(isFunction) === callback,
  )
