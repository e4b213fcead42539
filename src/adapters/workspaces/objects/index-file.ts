import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { Fault } from '../../../model/fault.ts'

/** One file of an index: its path, a character per byte, and where its record begins. */
export interface IndexEntry {
  readonly path: string
  readonly at: number
}

const GITLINK_MODE = 0o160000
const HEADER_BYTES = 12
const STAT_BYTES = 40
const MODE_AT = 24
const EXTENDED = 0x4000
const LONG_NAME = 0xfff
const SECOND_NS = 1_000_000_000n

/** The entries of an index file, in its order. Read here, so that looking at a tree needs no further process. */
export function parseIndex(index: Buffer, oidBytes: number): IndexEntry[] {
  const version = index.toString('latin1', 0, 4) === 'DIRC' ? index.readUInt32BE(4) : 0
  // Nothing configures the owned git directory to write another one.
  if (version !== 2 && version !== 3)
    throw new Fault('internal', `an index of version ${version} cannot be read`)
  const entries: IndexEntry[] = []
  let at = HEADER_BYTES
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + STAT_BYTES + oidBytes
    const flags = index.readUInt16BE(flagsAt)
    const nameAt = flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4)
    const length = flags & LONG_NAME
    const nameEnd = length < LONG_NAME ? nameAt + length : index.indexOf(0, nameAt)
    entries.push({ path: index.toString('latin1', nameAt, nameEnd), at })
    // Entries begin at multiples of eight, with at least one NUL between them.
    at += (nameEnd - at + 8) & ~7
  }
  return entries
}

/** Whether its entries have no flags but the usual ones. */
export const isPlainIndex = (index: Buffer): boolean => index.readUInt32BE(4) === 2

/** What an entry says is at its path. */
export const entryAt = (
  index: Buffer,
  { at }: IndexEntry,
  oidBytes: number,
): { readonly mode: string; readonly oid: string } => ({
  mode: index.readUInt32BE(at + MODE_AT).toString(8),
  oid: index.toString('hex', at + STAT_BYTES, at + STAT_BYTES + oidBytes),
})

/** The submodules among them. */
export const gitlinksOf = (index: Buffer, entries: readonly IndexEntry[]): string[] =>
  entries.filter(({ at }) => index.readUInt32BE(at + MODE_AT) === GITLINK_MODE).map(({ path }) => path)

/** Whether a file still is, in everything the kernel says of it, the one that git wrote when it made the entry. */
export function isAsRecorded(index: Buffer, { at }: IndexEntry, stat: BigIntStats): boolean {
  return (
    stat.ctimeNs === timeAt(index, at) &&
    stat.mtimeNs === timeAt(index, at + 8) &&
    low32(stat.dev) === index.readUInt32BE(at + 16) &&
    low32(stat.ino) === index.readUInt32BE(at + 20) &&
    low32(stat.uid) === index.readUInt32BE(at + 28) &&
    low32(stat.gid) === index.readUInt32BE(at + 32) &&
    low32(stat.size) === index.readUInt32BE(at + 36) &&
    stat.nlink === 1n
  )
}

const timeAt = (index: Buffer, at: number): bigint =>
  BigInt(index.readUInt32BE(at)) * SECOND_NS + BigInt(index.readUInt32BE(at + 4))

const low32 = (value: bigint): number => Number(value & 0xffffffffn)

/** A file that was just written, for its entry in an index. */
export interface WrittenFile {
  readonly path: string
  readonly mode: string
  readonly oid: string
  readonly stat: BigIntStats
}

/** An index of entries that are taken over as they are from another one, and of new ones; both sorted by path. */
export function buildIndex(
  { bytes, kept }: { readonly bytes: Buffer; readonly kept: readonly IndexEntry[] },
  written: readonly WrittenFile[],
  oidBytes: number,
): { readonly bytes: Buffer; readonly entries: readonly IndexEntry[] } {
  const header = Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1')
  const parts: Buffer[] = [header]
  const entries: IndexEntry[] = []
  let at = header.length
  const add = (path: string, part: Buffer): void => {
    parts.push(part)
    entries.push({ path, at })
    at += part.length
  }
  let next = 0
  const addWrittenBefore = (path: string | null): void => {
    for (let file = written[next]; file && (path === null || file.path < path); file = written[++next])
      add(file.path, entryOf(file, oidBytes))
  }
  for (const entry of kept) {
    addWrittenBefore(entry.path)
    add(entry.path, bytes.subarray(entry.at, entry.at + entryBytes(entry.path, oidBytes)))
  }
  addWrittenBefore(null)
  header.writeUInt32BE(entries.length, 8)
  const body = Buffer.concat(parts)
  const checksum = createHash(oidBytes === 20 ? 'sha1' : 'sha256')
    .update(body)
    .digest()
  return { bytes: Buffer.concat([body, checksum]), entries }
}

/** Entries begin at multiples of eight, with at least one NUL between them. */
const entryBytes = (path: string, oidBytes: number): number =>
  (STAT_BYTES + oidBytes + 2 + path.length + 8) & ~7

function entryOf({ path, mode, oid, stat }: WrittenFile, oidBytes: number): Buffer {
  const entry = Buffer.alloc(entryBytes(path, oidBytes))
  const fields = [
    stat.ctimeNs / SECOND_NS,
    stat.ctimeNs % SECOND_NS,
    stat.mtimeNs / SECOND_NS,
    stat.mtimeNs % SECOND_NS,
    stat.dev,
    stat.ino,
    BigInt(Number.parseInt(mode, 8)),
    stat.uid,
    stat.gid,
    stat.size,
  ]
  fields.forEach((field, position) => entry.writeUInt32BE(Number(field & 0xffffffffn), position * 4))
  entry.write(oid, STAT_BYTES, 'hex')
  entry.writeUInt16BE(Math.min(path.length, LONG_NAME), STAT_BYTES + oidBytes)
  entry.write(path, STAT_BYTES + oidBytes + 2, 'latin1')
  return entry
}
