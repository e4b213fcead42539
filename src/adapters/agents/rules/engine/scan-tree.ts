import type { Found, Source } from './found.ts'
import type { TreeRule } from './rule.ts'
import { parseTree } from './tree.ts'

/** Runs rules of ours over a text; parsing takes longest, and most texts give no reason for it. */
export function scanTree({ path, text }: Source, rules: readonly TreeRule[]): readonly Found[] {
  const suspected = rules.filter(({ hint }) => hint.test(text))
  // The linter has said what is wrong with a text that is no program.
  const tree = suspected.length > 0 ? parseTree(path, text) : null
  if (!tree) return []
  return suspected.flatMap((rule) =>
    tree.nodes
      .filter((node) => rule.types.includes(node.type) && rule.accepts(node, tree))
      .map((node) => ({
        rule,
        title: rule.title,
        message: rule.message,
        startOffset: node.start,
        endOffset: node.end,
        edits: rule.fix?.(node, tree) ?? null,
      })),
  )
}
