import type { Origins, Trees } from '../../../loop/ports.ts'
import type { Rule } from './rule.ts'
import { scanSource } from './scan.ts'

/** The rules asked again about one issue, on the files of a tree as git has them. */
export function createRulesOrigins(trees: Trees, rules: readonly Rule[]): Origins {
  return {
    async ask(issue, revision, files) {
      const rule = issue.flagged_by.includes('rules') ? rules.find(({ id }) => id === issue.rule) : undefined
      if (!rule) return null
      let loud = 0
      for (const [file, bytes] of await trees.readMany(revision.tree, files)) {
        const scan = scanSource(new TextDecoder().decode(bytes), file, [rule])
        if (scan.status === 'skipped' && file === issue.file) return { unanswered: `${file}: ${scan.why}` }
        if (scan.status !== 'skipped') loud += scan.matches.length
      }
      return { loud }
    },
  }
}
