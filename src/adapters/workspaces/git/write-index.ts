import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { IndexEntry } from './index-file.ts'

/** A file that was just written, for its entry in an index. */
export interface WrittenFile {
  readonly path: string
  readonly mode: string
  readonly oid: string
  readonly stat: BigIntStats
}

const STAT_BYTES = 40
const LONG_NAME = 0xfff
const SECOND_NS = 1_000_000_000n

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
