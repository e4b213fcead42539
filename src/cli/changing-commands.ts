import type { Command } from 'commander'
import type { CommandContext } from './command/context.ts'

/** Commands that change what others see, or cost something; who ran them is written down where several people work. */
const changing: ReadonlySet<string> = new Set([
  'review',
  'import',
  'issues ignore',
  'issues reopen',
  'issues resolve',
  'issues duplicate',
  'issues publish',
  'clarify',
  'fix',
  'resume',
  'cancel',
  'answer',
  'approve',
  'reject',
  'trust',
  'pr answer',
  'pr create',
  'pr review',
  'pr sync',
  'repos add',
  'repos remove',
  'tokens create',
  'tokens revoke',
])

/** Runs a command; one that changes something in a shared database is recorded with who ran it. */
export async function runRecorded(
  { env }: CommandContext,
  command: Command,
  run: () => Promise<number>,
): Promise<number> {
  const name = pathOf(command)
  const isShared = Boolean(env['FIXPOINT_DATABASE']) || name.startsWith('tokens ')
  if (!isShared || !changing.has(name)) return run()
  const { recordCommand } = await import('../app/people/record-command.ts')
  const { database: _database, ...options } = command.opts<Record<string, unknown>>()
  const request = JSON.stringify({ arguments: command.args, ...options })
  return recordCommand({ env, action: `fixpoint ${name}`, request }, run)
}

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()
