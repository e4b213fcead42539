import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Fault } from '../../model/fault.ts'
import type { NamedCommand } from '../config/repository-commands.ts'

/** What a person trusted at one time. Each record is a small file. */
const TrustRecord = z.object({
  schema: z.literal('fixpoint.trust-record.v2'),
  repository: z.string(),
  items: z.array(z.object({ key: z.string(), run: z.string() })).readonly(),
  trusted_at: z.string(),
})
type TrustRecord = z.infer<typeof TrustRecord>

/** The folder that the records are in, and the repository that they are about. */
export interface TrustPlace {
  readonly home: string
  readonly repositoryKey: string
}

/** The same for the same things, in whatever order; null when there is nothing to trust. */
export function trustDigest(items: readonly NamedCommand[]): string | null {
  if (items.length === 0) return null
  const lines = items.map(({ key, run }) => JSON.stringify([key, run]))
  return sha256(lines.toSorted((a, b) => (a < b ? -1 : 1)).join('\n'))
}

/** What was trusted of this repository, the newest record first. A record that cannot be read does not count. */
export async function readTrusted(place: TrustPlace): Promise<readonly (readonly NamedCommand[])[]> {
  const records = await readRecords(place)
  return records
    .toSorted((a, b) => (a.record.trusted_at < b.record.trusted_at ? 1 : -1))
    .map(({ record }) => record.items)
}

/** Remembers that a person trusts these; doing it twice, or in two processes at once, changes nothing. */
export async function keepTrusted(place: TrustPlace, items: readonly NamedCommand[]): Promise<void> {
  const digest = trustDigest(items)
  if (digest === null) return
  const record: TrustRecord = {
    schema: 'fixpoint.trust-record.v2',
    repository: place.repositoryKey,
    items: items.map(({ key, run }) => ({ key, run })),
    trusted_at: new Date().toISOString(),
  }
  const name = sha256(`${place.repositoryKey}\0${digest}`).slice(0, 32)
  const file = join(folderOf(place), `${name}.json`)
  try {
    await mkdir(folderOf(place), { recursive: true, mode: 0o700 })
    await writeWhole(file, `${JSON.stringify(record, null, 2)}\n`)
  } catch (cause) {
    const isFull = (cause as NodeJS.ErrnoException).code === 'ENOSPC'
    throw new Fault(isFull ? 'disk_full' : 'home_unusable', `${file} cannot be written`, {
      cause,
      hint: 'Set FIXPOINT_HOME to a folder that you may write to.',
    })
  }
}

/** Takes back everything that was ever trusted of this repository; returns how many records there were. */
export async function forgetTrusted(place: TrustPlace): Promise<number> {
  const records = await readRecords(place)
  await Promise.all(records.map(({ file }) => rm(file, { force: true })))
  return records.length
}

interface KeptRecord {
  readonly file: string
  readonly record: TrustRecord
}

async function readRecords(place: TrustPlace): Promise<readonly KeptRecord[]> {
  const folder = folderOf(place)
  const names = await readdir(folder).catch(noneWhenAbsent)
  const read = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map(async (name) => {
        const file = join(folder, name)
        const record = await readRecord(file)
        return record?.repository === place.repositoryKey ? [{ file, record }] : []
      }),
  )
  return read.flat()
}

async function readRecord(file: string): Promise<TrustRecord | null> {
  try {
    return TrustRecord.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError || hasErrorCode(error)) return null
    throw error
  }
}

function noneWhenAbsent(error: unknown): string[] {
  if (hasErrorCode(error)) return []
  throw error
}

/** Writes so that a reader finds the whole file or none. */
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

const folderOf = ({ home }: TrustPlace): string => join(home, 'trust')

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const hasErrorCode = (error: unknown): boolean => error instanceof Error && 'code' in error
