import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  copyDatabase,
  migrateDatabase,
  readDatabaseState,
  type DatabaseState,
} from '../../../app/open-store.ts'
import { Fault } from '../../../model/fault.ts'
import type { CommandContext, RunCommand } from '../../command/context.ts'

export const runDatabaseStatus: RunCommand<object> = async (context) => {
  const state = await readDatabaseState(context.env)
  printState(context, state)
  return state.pending.length === 0 ? 0 : 1
}

export const runMigrateDatabase: RunCommand<object> = async (context) => {
  const applied = await migrateDatabase(context.env)
  for (const name of applied) context.output.say(`applied ${name}`)
  printState(context, await readDatabaseState(context.env))
  return 0
}

function printState({ output }: CommandContext, state: DatabaseState): void {
  const { kind, database, applied, pending } = state
  output.print(`${kind === 'postgres' ? 'PostgreSQL' : 'SQLite'}  ${database}`)
  output.print(
    pending.length === 0
      ? `up to date: ${applied.join(', ')}`
      : `to be applied: ${pending.join(', ')}\nfixpoint db migrate applies them.`,
  )
  output.result({ schema: 'fixpoint.database.v1', ...state })
}

export const runCopyDatabase: RunCommand<{ readonly from: string }> = async (
  { cwd, env, output },
  options,
) => {
  const file = resolve(cwd, options.from)
  if (!existsSync(file))
    throw new Fault('input_invalid', `there is no database ${file}`, {
      hint: 'It is the file fixpoint.db in FIXPOINT_HOME.',
    })
  const { rows, artifacts } = await copyDatabase({
    env,
    file,
    onTable: (table, count) => output.say(`${table}: ${count}`),
  })
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
  output.print(
    `Copied ${total} rows of ${file} and ${artifacts} artifacts beside it; what was there already stayed as it is.`,
  )
  output.result({ schema: 'fixpoint.database-copy.v1', file, rows, artifacts })
  return 0
}
