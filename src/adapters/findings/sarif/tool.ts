import { cleanText, cutText } from '../../../model/issue/finding-text.ts'
import type { JsonFields, JsonRecord } from '../json/json-fields.ts'
import { readScore, readTags, weaknessesOf } from './tags.ts'
import { readTaxa, type NameTaxon } from './taxonomy.ts'

export interface ToolRule {
  readonly id: string | null
  readonly summary: string | null
  readonly level: string | null
  readonly score: number | null
  readonly tags: readonly string[]
  readonly references: readonly string[]
  readonly messages: ReadonlyMap<string, string>
}

interface ToolComponent {
  readonly rules: readonly ToolRule[]
  readonly byId: ReadonlyMap<string, ToolRule>
  readonly messages: ReadonlyMap<string, string>
}

/** The tool of one run: its name, and its rules and messages by every way a result may name them. */
export interface Tool {
  readonly name: string
  findRule(named: {
    ruleId: string | null
    ruleIndex: number | null
    extension: number | null
  }): ToolRule | null
  findMessage(rule: ToolRule | null, id: string, extension: number | null): string | null
}

export function readTool(
  value: unknown,
  { fallbackName, nameTaxon }: { readonly fallbackName: string; readonly nameTaxon: NameTaxon },
  fields: JsonFields,
): Tool {
  const tool = value === undefined || value === null ? {} : fields.object(value, 'tool')
  const written = fields.child(tool, 'driver') ?? {}
  const driver = readComponent(written, nameTaxon, fields)
  const extensions = fields.children(tool, 'extensions').map((one) => readComponent(one, nameTaxon, fields))
  const all = [driver, ...extensions]
  const componentOf = (extension: number | null) => (extension === null ? driver : extensions[extension])
  return {
    name: cleanText(fields.text(written, 'name') ?? '', 100) || fallbackName,
    findRule({ ruleId, ruleIndex, extension }) {
      const indexed = ruleIndex === null ? undefined : componentOf(extension)?.rules[ruleIndex]
      if (indexed && (ruleId === null || indexed.id === ruleId || ruleId.startsWith(`${indexed.id}/`)))
        return indexed
      return ruleId === null ? null : findById(all, ruleId)
    },
    findMessage: (rule, id, extension) =>
      rule?.messages.get(id) ?? componentOf(extension)?.messages.get(id) ?? driver.messages.get(id) ?? null,
  }
}

/** A result may name a part of a rule: `CA1000/1` belongs to `CA1000`. */
function findById(components: readonly ToolComponent[], ruleId: string): ToolRule | null {
  for (let id = ruleId; id !== ''; id = id.slice(0, Math.max(0, id.lastIndexOf('/')))) {
    for (const component of components) {
      const rule = component.byId.get(id)
      if (rule) return rule
    }
  }
  return null
}

function readComponent(component: JsonRecord, nameTaxon: NameTaxon, fields: JsonFields): ToolComponent {
  const rules = fields.children(component, 'rules').map((rule) => readRule(rule, nameTaxon, fields))
  const byId = new Map<string, ToolRule>()
  for (const rule of rules) if (rule.id !== null) byId.set(rule.id, rule)
  return { rules, byId, messages: readMessages(component, 'globalMessageStrings', fields) }
}

function readRule(rule: JsonRecord, nameTaxon: NameTaxon, fields: JsonFields): ToolRule {
  const configuration = fields.child(rule, 'defaultConfiguration')
  const taxa = readTaxa(rule, fields).map(nameTaxon)
  const tags = [...readTags(rule, fields), ...taxa.filter((tag) => tag !== '')]
  const summary = wordsOf(rule, 'shortDescription', fields) ?? wordsOf(rule, 'fullDescription', fields)
  return {
    id: cleanText(fields.text(rule, 'id') ?? '', 200) || null,
    summary: summary ?? fields.text(rule, 'name'),
    level: configuration && fields.text(configuration, 'level'),
    score: readScore(rule, fields),
    tags,
    references: [...readHelp(rule, fields), ...weaknessesOf(tags)],
    messages: readMessages(rule, 'messageStrings', fields),
  }
}

/** The rule's help page; its help text stands in where there is no page. */
function readHelp(rule: JsonRecord, fields: JsonFields): readonly string[] {
  const page = fields.text(rule, 'helpUri')
  if (page && /^https?:\/\//i.test(page)) return [cleanText(page, 500)]
  const help = wordsOf(rule, 'help', fields)
  return help ? [cleanText(help, 500)] : []
}

function wordsOf(of: JsonRecord, name: string, fields: JsonFields): string | null {
  const words = fields.child(of, name)
  const text = words && (fields.text(words, 'text') || fields.text(words, 'markdown'))
  return text ? cutText(text, 2_000) : null
}

function readMessages(of: JsonRecord, name: string, fields: JsonFields): ReadonlyMap<string, string> {
  const messages = new Map<string, string>()
  const written = fields.child(of, name)
  for (const id of Object.keys(written ?? {})) {
    const text = written && wordsOf(written, id, fields)
    if (text) messages.set(id, text)
  }
  return messages
}

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
