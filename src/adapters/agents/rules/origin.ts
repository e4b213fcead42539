import type { OriginFinding, Origins, Trees } from '../../../loop/ports.ts'
import { rulesDefinition } from './definition.ts'
import { languageOf } from './engine/language.ts'
import { isLinterRule, scanSources, type Rule } from './scan-sources.ts'
import { beneath, withoutRemarks, withoutSuppressions } from './suppressions.ts'

/** The rules asked again, all of them, on the files of a tree as git has them. */
export function createRulesOrigins(trees: Trees, rules: readonly Rule[]): Origins {
  return {
    async ask(issue, revision, { files, signal }) {
      const isOurs = issue.flagged_by.includes(rulesDefinition.kind)
      if (!isOurs || !rules.some(({ id }) => id === issue.rule)) return null
      const found: OriginFinding[] = []
      const texts = await trees.readMany(revision.tree, files)
      // A file that is gone is silent too, but that is no fix.
      if (issue.file && !texts.has(issue.file)) return { unanswered: `${issue.file} is not there any more` }
      const sources = [...texts]
        .filter(([file]) => languageOf(file) !== null)
        // Silencing a rule is no fix.
        .map(([path, bytes]) => ({ path, text: withoutSuppressions(new TextDecoder().decode(bytes)) }))
      const cited = sources.find(({ path }) => path === issue.file)
      const bare = cited && withoutRemarks(cited.text, languageOf(cited.path) ?? 'JavaScript')
      if (cited && bare === null) return { unanswered: `${cited.path}: no parser can be given it` }
      if (cited && bare) sources.push({ path: beneath(cited.path), text: bare })
      for (const [path, scan] of await scanSources(sources, rules.map(widened(issue.rule)), signal)) {
        const file = path === beneath(cited?.path ?? '') ? (cited?.path ?? path) : path
        if (scan.status === 'skipped') return { unanswered: `${file}: ${scan.why}` }
        for (const { rule, title, line, endLine, column } of scan.matches)
          found.push({ rule: rule.id, title, file, line, end_line: endLine, column })
      }
      return { found: withoutTwins(found) }
    },
  }
}

/** Any line of a file may excuse a place from these, so whoever wants them silent could write one; no fix needs to. */
const excusedByFile = /^ruff\/(?:S113|F821|INT00[123])$/

/** The rule of the finding without what narrows it: the finding was worth a change when it was raised. */
const widened =
  (id: string | null) =>
  (rule: Rule): Rule => {
    if (rule.id !== id || !isLinterRule(rule) || !excusedByFile.test(rule.id)) return rule
    const { accepts: _, ...rest } = rule
    return rest
  }

/** What is found with the words of comments and without them is one finding. */
const withoutTwins = (found: readonly OriginFinding[]): readonly OriginFinding[] => [
  ...new Map(
    found.map((each) => [`${each.rule}\0${each.title}\0${each.file}\0${each.line}\0${each.column}`, each]),
  ).values(),
]
