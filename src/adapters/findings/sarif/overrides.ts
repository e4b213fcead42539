import type { JsonFields } from '../json/json-fields.ts'
import type { Tool, ToolRule } from './tool.ts'

/** A rule whose level was changed for a run, as the run's invocation tells it. */
export interface WrittenOverride {
  readonly ruleId: string | null
  readonly ruleIndex: number | null
  readonly extension: number | null
  readonly level: string
}

export function readOverrides(invocation: unknown, fields: JsonFields): readonly WrittenOverride[] {
  const written = fields.object(invocation, 'invocation')
  return fields.children(written, 'ruleConfigurationOverrides').flatMap((override) => {
    const descriptor = fields.child(override, 'descriptor')
    const configuration = fields.child(override, 'configuration')
    const level = configuration && fields.text(configuration, 'level')
    if (!descriptor || !level) return []
    const component = fields.child(descriptor, 'toolComponent')
    return [
      {
        ruleId: fields.name(descriptor, 'id'),
        ruleIndex: fields.integer(descriptor, 'index'),
        extension: component && fields.integer(component, 'index'),
        level,
      },
    ]
  })
}

/** The level that a rule had in this run where it was changed; the last word counts. */
export const levelsOf = (overrides: readonly WrittenOverride[], tool: Tool): ReadonlyMap<ToolRule, string> =>
  new Map(
    overrides.flatMap((override) => {
      const rule = tool.findRule(override)
      return rule ? [[rule, override.level] as const] : []
    }),
  )
