import { Fault } from '../../../model/fault.ts'

const GITLINK_MODE = 0o160000
const HEADER_BYTES = 12
const STAT_BYTES = 40
const MODE_AT = 24
const EXTENDED = 0x4000
const LONG_NAME = 0xfff

/** The submodules in an index file. Read here, so that a checkout needs no second process to list them. */
export function parseGitlinks(index: Buffer, oidBytes: number): Buffer[] {
  const version = index.toString('latin1', 0, 4) === 'DIRC' ? index.readUInt32BE(4) : 0
  // Nothing configures the owned git directory to write another one.
  if (version !== 2 && version !== 3)
    throw new Fault('internal', `an index of version ${version} cannot be read`)
  const gitlinks: Buffer[] = []
  let at = HEADER_BYTES
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + STAT_BYTES + oidBytes
    const flags = index.readUInt16BE(flagsAt)
    const nameAt = flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4)
    const length = flags & LONG_NAME
    const nameEnd = length < LONG_NAME ? nameAt + length : index.indexOf(0, nameAt)
    if (index.readUInt32BE(at + MODE_AT) === GITLINK_MODE) gitlinks.push(index.subarray(nameAt, nameEnd))
    // Entries begin at multiples of eight, with at least one NUL between them.
    at += (nameEnd - at + 8) & ~7
  }
  return gitlinks
}
