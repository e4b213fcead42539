import { parseSync, visitorKeys, type ParserOptions } from 'oxc-parser'

/** A node of the tree that oxc makes, as ESTree has it; its other fields are read with `at` and `listAt`. */
export interface TreeNode {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** A program with the way back from each node to what it stands in. */
export interface Tree {
  readonly source: string
  readonly nodes: readonly TreeNode[]
  readonly parentOf: (node: TreeNode) => TreeNode | null
  readonly textOf: (node: TreeNode) => string
}

/** Offsets in the tree are string offsets; null where the text is no program. */
export function parseTree(path: string, source: string): Tree | null {
  // oxc leaves a byte order mark out of its offsets.
  const shift = source.startsWith('\uFEFF') ? 1 : 0
  const { program, errors } = parseSync(path, source.slice(shift), optionsOf(path))
  if (errors.some(({ severity }) => severity === 'Error')) return null
  const parents = new Map<TreeNode, TreeNode>()
  const nodes: TreeNode[] = []
  const waiting: TreeNode[] = [program]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    nodes.push(node)
    const children: TreeNode[] = []
    for (const key of visitorKeys[node.type] ?? []) pushNodes(children, fieldOf(node, key))
    for (const child of children.reverse()) {
      parents.set(child, node)
      waiting.push(child)
    }
  }
  if (shift > 0)
    for (const node of nodes) Object.assign(node, { start: node.start + shift, end: node.end + shift })
  return {
    source,
    nodes,
    parentOf: (node) => parents.get(node) ?? null,
    textOf: ({ start, end }) => source.slice(start, end),
  }
}

/** Many `.js` files hold JSX. */
const optionsOf = (path: string): ParserOptions =>
  /\.[cm]?js$/i.test(path)
    ? { lang: 'jsx', sourceType: 'unambiguous', preserveParens: false }
    : { preserveParens: false }

function pushNodes(nodes: TreeNode[], value: unknown): void {
  if (Array.isArray(value)) for (const each of value) pushNodes(nodes, each)
  else if (isNode(value)) nodes.push(value)
}

const nodesIn = (value: unknown): readonly TreeNode[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []

const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** A field of a node, whatever it holds: an operator, a name, a flag. */
export const fieldOf = (node: TreeNode, key: string): unknown => Reflect.get(node, key)

/** The node in a field. */
export function at(node: TreeNode | null | undefined, key: string): TreeNode | null {
  const value = node ? fieldOf(node, key) : null
  return isNode(value) ? value : null
}

/** The nodes in a field that holds a list. */
export const listAt = (node: TreeNode | null | undefined, key: string): readonly TreeNode[] =>
  node ? nodesIn(fieldOf(node, key)) : []

export const isA = (node: TreeNode | null | undefined, ...types: readonly string[]): node is TreeNode =>
  node !== null && node !== undefined && types.includes(node.type)

/** What the node stands in, from the inside out. */
export function ancestorsOf(node: TreeNode, { parentOf }: Tree): readonly TreeNode[] {
  const around: TreeNode[] = []
  for (let parent = parentOf(node); parent; parent = parentOf(parent)) around.push(parent)
  return around
}

export const isFunction = (node: TreeNode | null): node is TreeNode =>
  isA(node, 'ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration')

/** The text of a string literal, or of a template without placeholders; null for anything else. */
export function fixedText(node: TreeNode | null | undefined): string | null {
  if (isA(node, 'Literal')) {
    const value = fieldOf(node, 'value')
    return typeof value === 'string' ? value : null
  }
  if (!isA(node, 'TemplateLiteral') || listAt(node, 'expressions').length > 0) return null
  const raw: unknown = fieldOf(listAt(node, 'quasis')[0] ?? node, 'value')
  return typeof raw === 'object' && raw !== null && 'raw' in raw ? String(raw.raw) : ''
}

/** The name that a call ends in: `c` of `a.b.c()`. */
export function calleeName(call: TreeNode | null): string {
  const callee = at(call, 'callee')
  const named = isA(callee, 'MemberExpression') ? at(callee, 'property') : callee
  return isA(named, 'Identifier') ? String(fieldOf(named, 'name')) : ''
}

/** A call of a method with one of these names. */
export const isMethodCall = (node: TreeNode, names: RegExp): boolean =>
  isA(node, 'CallExpression') && isA(at(node, 'callee'), 'MemberExpression') && names.test(calleeName(node))

/** The name of an object literal's entry; empty where it is computed. */
export function keyOf(entry: TreeNode): string {
  const key = fieldOf(entry, 'computed') === true ? null : at(entry, 'key')
  return isA(key, 'Identifier') ? String(fieldOf(key, 'name')) : (fixedText(key) ?? '')
}
