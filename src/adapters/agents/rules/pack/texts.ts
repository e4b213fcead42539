import {
  ancestorsOf,
  at,
  fixedText,
  isA,
  isFunction,
  listAt,
  fieldOf,
  type Tree,
  type TreeNode,
  calleeName,
} from '../engine/tree.ts'

/** True for a string, a template, and a `+` chain with one of these in it. */
export const isText = (node: TreeNode | null): boolean =>
  isA(node, 'TemplateLiteral') ||
  fixedText(node) !== null ||
  operandsOf(node).some((part) => part !== node && isText(part))

/** The operands of a `+` chain from left to right; the node itself where it is none. */
function operandsOf(node: TreeNode | null): readonly TreeNode[] {
  const operands: TreeNode[] = []
  let current = node
  while (isA(current, 'BinaryExpression') && fieldOf(current, 'operator') === '+') {
    const right = at(current, 'right')
    if (right) operands.push(right)
    current = at(current, 'left')
  }
  return current ? [current, ...operands.toReversed()] : operands
}

/** What is put into a text at run time; empty for fixed text, and for what is no text. */
export function insertedParts(node: TreeNode | null): readonly TreeNode[] {
  if (isA(node, 'TemplateLiteral')) return listAt(node, 'expressions')
  if (!isText(node) || fixedText(node) !== null) return []
  return operandsOf(node).flatMap((part) =>
    isA(part, 'TemplateLiteral') ? insertedParts(part) : fixedText(part) === null ? [part] : [],
  )
}

/** What comes in with a request: the one who sends it chooses the value. */
const source =
  /^(?:req|request|ctx|context|event|c)\??\.(?:query|body|params|headers?|cookies|param|files?|queryStringParameters|pathParameters|request\.(?:query|body|params|header))\b|\bsearchParams\.get\(|\bformData\.get\(/

/** The same anywhere in a text. */
export const cameIn = new RegExp(source.source.replace('^', String.raw`\b`))

/** True for what comes from a request, there or by way of a variable of the function around. */
export function isFromRequest(node: TreeNode, tree: Tree): boolean {
  const text = tree.textOf(node)
  if (/^(?:Number|parseInt|parseFloat|BigInt|Boolean|encodeURIComponent)\(|escape|quote|sanitiz/i.test(text))
    return false
  if (source.test(text)) return true
  const name = /^[A-Za-z_$][\w$]*/.exec(text)?.[0]
  const around = ancestorsOf(node, tree).find(isFunction)
  return name !== undefined && around !== undefined && setFromRequest(name, around, tree)
}

/** Whether the function sets the name, alone or by taking apart, to what comes from a request as it is. */
function setFromRequest(name: string, around: TreeNode, { nodes, textOf }: Tree): boolean {
  const inside = nodes.filter(({ start, end }) => start >= around.start && end <= around.end)
  return inside.some((node) => {
    if (!isA(node, 'VariableDeclarator')) return false
    const [id, init] = [at(node, 'id'), at(node, 'init')]
    if (!id || !init || !source.test(textOf(init).replace(/^await /, ''))) return false
    return isA(id, 'Identifier')
      ? textOf(id) === name
      : new RegExp(`(?<![\\w$:.])${name.replaceAll('$', '\\$')}(?![\\w$:])`).test(textOf(id))
  })
}

/** Every placeholder begins with a name that is declared around the string, and no template language is near. */
export function isMeantAsTemplate(node: TreeNode, tree: Tree): boolean {
  const text = tree.textOf(node).slice(1, -1)
  if (fixedText(node) === null || !text.includes('${')) return false
  const names = [...text.matchAll(/\$\{([A-Za-z_$][\w$]*)(?:\.[\w$]+)*\}/g)].map((found) => found[1] ?? '')
  if (names.length !== text.split('${').length - 1 || /`|\\[^"']/.test(text)) return false
  const parent = tree.parentOf(node)
  if (isA(parent, 'JSXAttribute', 'ImportDeclaration', 'TSLiteralType', 'ExpressionStatement')) return false
  if (isA(parent, 'Property') && at(parent, 'key') === node) return false
  const fillsIn = /^(?:replace|replaceAll|split|test|compile|template)$/
  if (isA(parent, 'CallExpression') && fillsIn.test(calleeName(parent))) return false
  return names.every((name) => isDeclaredAround(node, name, tree))
}

/** True when a function around the node, or the program, declares the name. */
function isDeclaredAround(node: TreeNode, name: string, tree: Tree): boolean {
  const around = ancestorsOf(node, tree).filter((each) => isFunction(each) || isA(each, 'Program'))
  return tree.nodes.some((each) => {
    if (!isA(each, 'Identifier') || fieldOf(each, 'name') !== name || !declares(each, tree)) return false
    const scope = ancestorsOf(each, tree).find((outer) => isFunction(outer) || isA(outer, 'Program'))
    return scope !== undefined && around.includes(scope)
  })
}

function declares(name: TreeNode, tree: Tree): boolean {
  const parent = tree.parentOf(name)
  if (isA(parent, 'Property') && at(parent, 'value') === name)
    return isA(tree.parentOf(parent), 'ObjectPattern')
  if (isA(parent, 'ImportSpecifier', 'ImportDefaultSpecifier', 'ImportNamespaceSpecifier'))
    return at(parent, 'local') === name
  if (isA(parent, 'VariableDeclarator')) return at(parent, 'id') === name
  if (isA(parent, 'AssignmentPattern')) return at(parent, 'left') === name
  if (isA(parent, 'CatchClause')) return at(parent, 'param') === name
  return isFunction(parent) && listAt(parent, 'params').includes(name)
}
