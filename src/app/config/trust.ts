import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { kindOf, type AgentKind } from '../../model/config/agent-kind.ts'
import { mentionsOf } from '../../model/config/agents.ts'
import type { WrittenConfig } from '../../model/config/settings.ts'
import type { WrittenAgent } from '../../model/config/written.ts'
import { Fault } from '../../model/fault.ts'

/** A command of the repository's file, and the setting that it stands under. */
export interface NamedCommand {
  readonly key: string
  readonly run: string
}

/** Every command that a configuration file would have us run, in a fixed order. */
export function listCommands(written: WrittenConfig, kinds: readonly AgentKind[]): readonly NamedCommand[] {
  const setup = written.workspace?.setup
  const commands = [
    ...(written.verify?.commands ?? []).map(({ run }) => ({ key: 'verify.commands', run })),
    ...(setup === undefined ? [] : [{ key: 'workspace.setup', run: setup }]),
    ...(written.review?.scanners ?? []).map(({ run }) => ({ key: 'review.scanners', run })),
    ...mentionsOf(written.agents ?? {}).flatMap(({ path, agent }) =>
      commandsOf(agent, kinds).map((run) => ({ key: `agents.${String(path[1])}`, run })),
    ),
  ]
  return commands.toSorted((a, b) => compare(a.key, b.key) || compare(a.run, b.run))
}

/** What an agent's settings would start or open to it: its program, and what widens what a CLI may do or see. */
const commandsOf = (
  { use, run, args, home, env, permissions }: WrittenAgent,
  kinds: readonly AgentKind[],
): readonly string[] => [
  ...(run === undefined || kindOf(kinds, use)?.run?.is === 'folder' ? [] : [run]),
  ...(args === undefined || args.length === 0 ? [] : [[use, ...args].join(' ')]),
  ...(home === undefined ? [] : [`${use} with the configuration of ${home}`]),
  ...(env === undefined || env.length === 0 ? [] : [`${use} sees ${env.join(', ')}`]),
  ...(permissions === 'bypass' ? [`${use} without any limits to what it may do`] : []),
]

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The same for the same commands, whatever else changes in the file; null when there is nothing to trust. */
export function commandsDigest(written: WrittenConfig, kinds: readonly AgentKind[]): string | null {
  const commands = listCommands(written, kinds)
  if (commands.length === 0) return null
  const text = JSON.stringify(commands.map(({ key, run }) => [key, run]))
  return createHash('sha256').update(text).digest('hex')
}

/** What is remembered of a person's word, one small file for each. */
const TrustRecord = z.object({
  schema: z.literal('fixpoint.trust.v1'),
  repository: z.string(),
  digest: z.string(),
  trusted_at: z.string(),
})

/** One repository's commands, as a person would trust them. */
export interface TrustSubject {
  readonly home: string
  readonly repositoryKey: string
  readonly digest: string
}

/** Whether the person trusted exactly these commands of this repository. A record that cannot be read is none. */
export async function isTrusted(subject: TrustSubject): Promise<boolean> {
  try {
    const record = TrustRecord.safeParse(JSON.parse(await readFile(fileOf(subject), 'utf8')))
    return (
      record.success &&
      record.data.repository === subject.repositoryKey &&
      record.data.digest === subject.digest
    )
  } catch (error) {
    if (error instanceof SyntaxError || hasErrorCode(error)) return false
    throw error
  }
}

/** Remembers the person's word; doing it twice, or in two processes at once, is doing it once. */
export async function trust(subject: TrustSubject, trustedAt: string): Promise<void> {
  const file = fileOf(subject)
  const record: z.infer<typeof TrustRecord> = {
    schema: 'fixpoint.trust.v1',
    repository: subject.repositoryKey,
    digest: subject.digest,
    trusted_at: trustedAt,
  }
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeWhole(file, `${JSON.stringify(record, null, 2)}\n`)
  } catch (cause) {
    const isFull = (cause as NodeJS.ErrnoException).code === 'ENOSPC'
    throw new Fault(isFull ? 'disk_full' : 'home_unusable', `${file} cannot be written`, {
      cause,
      hint: 'set FIXPOINT_HOME to a folder that you may write to',
    })
  }
}

/** A reader finds the whole file or none. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

function fileOf({ home, repositoryKey, digest }: TrustSubject): string {
  const name = createHash('sha256').update(`${repositoryKey}\0${digest}`).digest('hex').slice(0, 32)
  return join(home, 'trust', `${name}.json`)
}

const hasErrorCode = (error: unknown): boolean => error instanceof Error && 'code' in error
