import type { Node } from './rule.ts'

export const startOf = (node: Node): number => node.range().start.index
export const endOf = (node: Node): number => node.range().end.index

export const hasKind = (node: Node | null | undefined, ...kinds: readonly string[]): boolean =>
  node !== null && node !== undefined && kinds.includes(String(node.kind()))

/** Same text; lengths first, so that a long chain of operators costs nothing. */
export function isSameText(a: Node, b: Node): boolean {
  return endOf(a) - startOf(a) === endOf(b) - startOf(b) && a.text() === b.text()
}
