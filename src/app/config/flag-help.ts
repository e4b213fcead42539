import { z } from 'zod'
import { Fault } from '../../model/fault.ts'
import { defaultConfig, settingFlags } from '../../model/config/settings.ts'
import { valueAt } from './explain-issue.ts'
import { schemaAt, unwrap } from './known-keys.ts'

/** The help of a flag that sets a setting: the setting's meaning, the words it takes, its key and its default. */
export function describeFlag(flag: string): string {
  const key = settingFlags.find((known) => known.flag === flag)?.key
  const schema = key === undefined ? null : schemaAt(key.split('.'))
  if (key === undefined || schema === null) throw new Fault('internal', `no setting has the flag ${flag}`)
  return `${meaningOf(key, schema)}${choicesOf(schema)} (${key}${defaultOf(key)})`
}

/** A role's meaning has the agent for its subject: `agents.fixer` "Changes the code." */
function meaningOf(key: string, { description = '' }: z.ZodType): string {
  const text = description.replaceAll('`', '').replace(/\.$/, '')
  const sentence = `${text.charAt(0).toLowerCase()}${text.slice(1)}`
  return key.startsWith('agents.') ? `the agent that ${sentence}` : sentence
}

function choicesOf(schema: z.ZodType): string {
  const bare = unwrap(schema)
  return bare instanceof z.ZodEnum ? `: ${bare.options.join(', ')}` : ''
}

/** Agents have no default to show: what is installed decides. */
function defaultOf(key: string): string {
  const value = key.startsWith('agents.') ? undefined : valueAt(defaultConfig, key.split('.'))
  return typeof value === 'string' || typeof value === 'number' ? `: ${value}` : ''
}
