import { Fault } from '../../model/fault.ts'
import { acpDefinition } from './acp/definition.ts'
import { claudeDefinition } from './claude/definition.ts'
import { codexDefinition } from './codex/definition.ts'
import { commandDefinition } from './command/definition.ts'
import type { AgentDefinition } from './definition/definition.ts'
import { geminiDefinition } from './gemini/definition.ts'
import { replayDefinition } from './replay/definition.ts'
import { rulesDefinition } from './rules/definition.ts'

/** Every kind of agent that Fixpoint brings along, in the order in which they are shown. */
export const builtInAgents: readonly AgentDefinition[] = [
  claudeDefinition,
  geminiDefinition,
  codexDefinition,
  acpDefinition,
  commandDefinition,
  rulesDefinition,
  replayDefinition,
]

/** The built-in kinds and those of whoever uses Fixpoint as a library. */
export function withOwnAgents(own: readonly AgentDefinition[]): readonly AgentDefinition[] {
  const kinds = [...builtInAgents, ...own]
  const twice = own.find(({ kind }) => kinds.filter((other) => other.kind === kind).length > 1)
  if (twice) throw new Fault('usage', `there is an agent named "${twice.kind}" already; choose another name`)
  return kinds
}
