import { insertAt, replaceNode } from '../engine/edits.ts'
import { javascriptFamily } from '../engine/language.ts'
import type { TreeRule } from '../engine/rule.ts'
import {
  ancestorsOf,
  at,
  calleeName,
  isA,
  isFunction,
  fieldOf,
  listAt,
  type Tree,
  type TreeNode,
} from '../engine/tree.ts'
import { isText } from './texts.ts'

/** Errors that do not reach those who wait for them. */
export const errorRules: readonly TreeRule[] = [
  {
    id: 'js/throw-literal',
    // Callers may compare the text that they catch.
    isOptional: true,
    done: 'throw an Error',
    languages: javascriptFamily,
    severity: 'minor',
    category: 'correctness',
    title: 'Text thrown instead of an Error',
    message: 'A thrown string has no stack and no message property.',
    why: 'Handlers that read error.message get undefined, and nobody sees where the failure came from.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Statements/throw'],
    effort: 1,
    hint: /\bthrow\s+(?!new\b)/,
    types: ['ThrowStatement'],
    accepts: (node) => isText(at(node, 'argument')),
    fix: (node, { textOf }) => {
      const thrown = at(node, 'argument')
      return thrown && [replaceNode(thrown, `new Error(${textOf(thrown)})`)]
    },
  },
  {
    id: 'js/unawaited-return-in-try',
    done: 'await the promise inside of try',
    languages: javascriptFamily,
    severity: 'major',
    category: 'correctness',
    title: 'Promise returned from try without await',
    message:
      'The function leaves the try block before the promise settles, so its catch never sees a rejection.',
    why: 'The error handling written here does not run for exactly the call it surrounds.',
    references: ['https://developer.mozilla.org/docs/Web/JavaScript/Reference/Statements/async_function'],
    effort: 1,
    hint: { test: mayReturnPromise },
    types: ['ReturnStatement'],
    accepts: (node, tree) =>
      isPromise(at(node, 'argument'), tree) && isInAsync(node, tree) && isHandledHere(node, tree),
    fix: (node) => {
      const returned = at(node, 'argument')
      return returned && [insertAt(returned.start, 'await ')]
    },
  },
]

const knownPromise = /^(?:fetch|Promise\.(?:all|any|race)|axios\.\w+|(?:fs\.promises|fsp)\.\w+)$/

/** Whether async code returns, from a block with a handler, what `isPromise` may take for a promise. */
function mayReturnPromise(text: string): boolean {
  if (!/\basync\b/.test(text)) return false
  const guarded = guardedParts(text).join('\n')
  const own = new Set([...text.matchAll(/\basync\s+function\s+([\w$]+)/g)].map(([, name]) => name))
  const returned = [...guarded.matchAll(/\breturn\s+([\w$.]+)/g)].map(([, callee = '']) => callee)
  return (
    (returned.length > 0 && /\.\s*then\b/.test(guarded)) ||
    returned.some((callee) => knownPromise.test(callee) || own.has(callee))
  )
}

/** What stands between `try` and the `catch` that belongs to it, and more where that cannot be told at a glance. */
function guardedParts(text: string): readonly string[] {
  const parts: string[] = []
  let [depth, from] = [0, 0]
  for (const { 0: found, index } of text.matchAll(/\btry\s*\{|\}\s*catch\b/g)) {
    if (depth > 0) parts.push(text.slice(from, index))
    depth = Math.max(0, depth + (found.startsWith('try') ? 1 : -1))
    from = index
  }
  return parts
}

/** A call that certainly gives a promise which may be rejected: well known ones, and async functions of the same file. */
function isPromise(node: TreeNode | null, tree: Tree): boolean {
  if (!isA(node, 'CallExpression')) return false
  const callee = tree.textOf(at(node, 'callee') ?? node)
  return (
    knownPromise.test(callee) ||
    isAsyncHere(callee, tree) ||
    (callee.includes('.') && calleeName(node) === 'then')
  )
}

const isAsyncHere = (name: string, { nodes }: Tree): boolean =>
  nodes.some(
    (node) =>
      isA(node, 'FunctionDeclaration') &&
      fieldOf(node, 'async') === true &&
      fieldOf(at(node, 'id') ?? node, 'name') === name,
  )

/** Whether a catch around it does more than throw on; a function that calls itself has that catch inside too. */
function isHandledHere(node: TreeNode, tree: Tree): boolean {
  const around = ancestorsOf(node, tree)
  const block = around.find((each) => isFunction(each) || isA(tree.parentOf(each), 'TryStatement'))
  const attempt = block && !isFunction(block) ? tree.parentOf(block) : null
  const handler = at(attempt, 'handler')
  if (at(attempt, 'block') !== block || handler === null) return false
  const within = around.find(isFunction)
  const own = within ? at(within, 'id') : null
  const isRecursive = own !== null && calleeName(at(node, 'argument')) === fieldOf(own, 'name')
  const throwsOn = isA(listAt(at(handler, 'body'), 'body').at(-1), 'ThrowStatement')
  return !isRecursive && !throwsOn
}

function isInAsync(node: TreeNode, tree: Tree): boolean {
  const around = ancestorsOf(node, tree).find(isFunction)
  return around !== undefined && fieldOf(around, 'async') === true
}
