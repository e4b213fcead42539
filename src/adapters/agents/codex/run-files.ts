import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentRequest } from '../../../loop/ports.ts'
import { toml, type CodexFiles } from './command.ts'
import { strictSchema } from './strict-schema.ts'

/** Writes the files of one run below FIXPOINT_HOME, outside of every workspace; `remove` deletes them. */
export async function writeRunFiles(
  home: string,
  { task, subagents = [] }: Pick<AgentRequest, 'task' | 'subagents'>,
): Promise<CodexFiles & { remove(): Promise<void> }> {
  const folder = join(home, 'tasks', `codex-${randomUUID()}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const schema = task.output_schema && strictSchema(task.output_schema)
  const schemaFile = join(folder, 'schema.json')
  if (schema !== null) await writeFile(schemaFile, JSON.stringify(schema))
  const roles = new Map(subagents.map(({ name }, index) => [name, join(folder, `role-${index}.toml`)]))
  for (const { name, prompt } of subagents)
    await writeFile(roles.get(name) ?? '', `developer_instructions = ${toml(prompt)}\n`)
  return {
    schema: schema === null ? null : schemaFile,
    roles,
    // What cannot be removed does not change how the run ended.
    remove: () => rm(folder, { recursive: true, force: true }).catch(() => undefined),
  }
}
