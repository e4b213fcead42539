import { Fault } from '../../../model/fault.ts'
import type { RuleFile } from '../definition/setup.ts'
import { builtInRules } from './built-in-rules.ts'
import type { Rule } from './scan-sources.ts'
import { parseUserRules } from './user-rules.ts'

const parsed = new WeakMap<readonly RuleFile[], readonly Rule[]>()

/** The built-in rules and those of the person's own rule files; one list of files is parsed once. */
export function parseRules(files: readonly RuleFile[]): readonly Rule[] {
  const rules = parsed.get(files) ?? [...builtInRules, ...parseOwn(files)]
  parsed.set(files, rules)
  return rules
}

function parseOwn(files: readonly RuleFile[]): readonly Rule[] {
  const own = files.flatMap(({ path, text }) => parseUserRules(text, path))
  const ids = own.map(({ id }) => id)
  const twice = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
  if (twice.length > 0)
    throw new Fault(
      'config_invalid',
      `the rule files of review.rules hold these ids more than once: ${twice.join(', ')}`,
    )
  return own
}
