import {
  ancestorsOf,
  at,
  calleeName,
  fieldOf,
  fixedText,
  isA,
  isFunction,
  listAt,
  type Tree,
  type TreeNode,
} from '../engine/tree.ts'

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
