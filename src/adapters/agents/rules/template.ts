import { indentAt, newlineOf } from './edits.ts'
import { endOf, startOf } from './node.ts'
import type { Node } from './rule.ts'

/** Fills `$NAME` and `$$$NAME` from a match; an unmatched variable becomes empty, as ast-grep has it. */
export function expandTemplate(template: string, node: Node, source: string): string {
  const indented = template.replaceAll(/\r?\n/g, newlineOf(source) + indentAt(source, startOf(node)))
  return indented.replaceAll(/\$\$\$([A-Z_][A-Z0-9_]*)|\$([A-Z_][A-Z0-9_]*)/g, (_, multi, single) =>
    multi === undefined
      ? (node.getMatch(String(single))?.text() ?? '')
      : joined(node.getMultipleMatches(String(multi)), source),
  )
}

/** The source from the first to the last node, separators and comments included. */
function joined(nodes: readonly Node[], source: string): string {
  const [first] = nodes
  const last = nodes.at(-1)
  return first && last ? source.slice(startOf(first), endOf(last)) : ''
}
