import { Fault } from '../../../model/fault.ts'
import { ruleLevel } from '../../../model/config/settings.ts'
import type { RuleSetup } from '../definition/setup.ts'
import { builtInRules } from './built-in-rules.ts'
import type { Rule } from './scan-sources.ts'
import { parseUserRules } from './user-rules.ts'

const parsed = new WeakMap<RuleSetup, readonly Rule[]>()

/** The built-in rules and those of the person's own rule files, at the levels that were set; one setup is parsed once. */
export function parseRules(setup: RuleSetup): readonly Rule[] {
  const rules = parsed.get(setup) ?? atLevels([...builtInRules, ...parseOwn(setup)], setup.levels)
  parsed.set(setup, rules)
  return rules
}

function atLevels(rules: readonly Rule[], levels: RuleSetup['levels']): readonly Rule[] {
  const isKnown = (key: string): boolean =>
    rules.some(({ id }) => ruleLevel({ [key]: 'off' }, id) !== undefined)
  const unknown = Object.keys(levels).filter((key) => !isKnown(key))
  if (unknown.length > 0)
    throw new Fault('config_invalid', `review.rules names what is no rule: ${unknown.join(', ')}`, {
      hint: 'Findings name their rule; docs/rules.md lists those that are built in.',
    })
  return rules.flatMap((rule) => {
    // What switches a whole group on would switch on what is off for good reasons.
    const level = rule.isOptional ? levels[rule.id] : ruleLevel(levels, rule.id)
    if (level === 'off' || (level === undefined && rule.isOptional)) return []
    return [level === undefined ? rule : { ...rule, severity: level }]
  })
}

function parseOwn({ files }: RuleSetup): readonly Rule[] {
  const own = files.flatMap(({ path, text }) => parseUserRules(text, path))
  const ids = own.map(({ id }) => id)
  const twice = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
  if (twice.length > 0)
    throw new Fault(
      'config_invalid',
      `the rule files of review.rule_files hold these ids more than once: ${twice.join(', ')}`,
    )
  return own
}
