import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRequest } from '../../../loop/ports.ts'
import { runFilePath } from '../../process/run-mark.ts'
import { toml, type CodexFiles } from './command.ts'

/** Writes the files of one run below FIXPOINT_HOME, outside of every workspace; `remove` deletes them. */
export async function writeRunFiles(
  home: string,
  { task, subagents = [] }: Pick<AgentRequest, 'task' | 'subagents'>,
): Promise<CodexFiles & { remove(): Promise<void> }> {
  const folder = runFilePath(home, 'codex')
  const schema = task.output_schema && strictSchema(task.output_schema)
  const roles = new Map(subagents.map(({ name }, index) => [name, join(folder, `role-${index}.toml`)]))
  const schemaFile = schema && join(folder, 'schema.json')
  const files = [
    ...(schemaFile === null ? [] : [[schemaFile, JSON.stringify(schema)] as const]),
    ...subagents.map(({ name, prompt }) => [roles.get(name) ?? '', instructions(prompt)] as const),
  ]
  const temporary = join(folder, 'tmp')
  await mkdir(temporary, { recursive: true, mode: 0o700 })
  await Promise.all(files.map(([path, text]) => writeFile(path, text)))
  return {
    schema: schemaFile,
    roles,
    temporary,
    async remove() {
      // What cannot be removed does not change how the run ended.
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

const instructions = (prompt: string): string => `developer_instructions = ${toml(prompt)}\n`

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The schema as the service demands it: every object closed, every property required, every choice with its type. Null
 * when that cannot be, as for objects with free keys.
 */
export function strictSchema(schema: Schema): Schema | null {
  if (schema['type'] === 'object') return strictObject(schema)
  if (schema['type'] === 'array') {
    const items = isSchema(schema['items']) ? strictSchema(schema['items']) : null
    return items && { ...schema, items }
  }
  const choices = schema['enum']
  if (schema['type'] === undefined && Array.isArray(choices))
    return choices.every((choice) => typeof choice === 'string') ? { type: 'string', ...schema } : null
  return typeof schema['type'] === 'string' ? schema : null
}

function strictObject(schema: Schema): Schema | null {
  const { properties, additionalProperties = false } = schema
  if (!isSchema(properties) || additionalProperties !== false) return null
  const strict: [string, Schema][] = []
  for (const [name, property] of Object.entries(properties)) {
    const inner = isSchema(property) ? strictSchema(property) : null
    if (inner === null) return null
    strict.push([name, inner])
  }
  return {
    ...schema,
    properties: Object.fromEntries(strict),
    required: strict.map(([name]) => name),
    additionalProperties: false,
  }
}
