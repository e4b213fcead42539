import type { BundleHeader } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { CommitId } from '../../../model/id.ts'

/** A header with its refs and needs is a few hundred bytes; longer ones are not read. */
const mostHeader = 64 * 1024
/** What a session changes is far less. */
const mostObjects = 200_000

export type ObjectFormat = 'sha1' | 'sha256'

/** The first part of a git bundle: what it brings and what it builds on. */
export function formatBundleHeader({ refs, needs }: BundleHeader, format: ObjectFormat): string {
  return [
    ...(format === 'sha1' ? ['# v2 git bundle'] : ['# v3 git bundle', `@object-format=${format}`]),
    ...needs.map((commit) => `-${commit} `),
    ...[...refs].map(([ref, commit]) => `${commit} ${ref}`),
    '\n',
  ].join('\n')
}

/** Reads the header as data, before git sees any of it; a fault says what is wrong with it. */
export function parseBundleHeader(
  bytes: Uint8Array,
  format: ObjectFormat,
): { readonly header: BundleHeader; readonly pack: Uint8Array } {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = view.subarray(0, mostHeader).indexOf('\n\n')
  if (end < 0) throw refused('it does not begin as a git bundle does')
  const lines = view.toString('utf8', 0, end).split('\n')
  const pack = view.subarray(end + 2)
  checkPack(pack)
  return { header: parseLines(withoutSignature(lines, format)), pack }
}

function withoutSignature([signature, ...lines]: readonly string[], format: ObjectFormat): readonly string[] {
  if (signature === '# v2 git bundle' && format === 'sha1') return lines
  if (signature !== '# v3 git bundle') throw refused('it is no git bundle of this repository’s kind')
  const capabilities = lines.filter((line) => line.startsWith('@'))
  const unknown = capabilities.find((line) => line !== `@object-format=${format}`)
  if (unknown !== undefined) throw refused(`it asks for ${JSON.stringify(unknown)}`)
  return lines.slice(capabilities.length)
}

function parseLines(lines: readonly string[]): BundleHeader {
  const needs: CommitId[] = []
  const refs = new Map<string, CommitId>()
  for (const line of lines) {
    const [, need, id, ref] = /^(-?)([0-9a-f]{40}(?:[0-9a-f]{24})?)(?: (.*))?$/s.exec(line) ?? []
    if (id === undefined) throw refused('its header cannot be read')
    if (need === '-') needs.push(CommitId.parse(id))
    else if (ref === undefined || refs.has(ref)) throw refused('its header names a ref twice, or none')
    else refs.set(ref, CommitId.parse(id))
  }
  return { refs, needs }
}

/** How many objects a pack says to hold; git believes it, and finds out when it is not so. */
function checkPack(pack: Buffer): void {
  if (pack.length < 12 || pack.toString('latin1', 0, 4) !== 'PACK')
    throw refused('it holds no pack of objects')
  const objects = pack.readUInt32BE(8)
  if (objects > mostObjects) throw refused(`it holds ${objects} objects, and ${mostObjects} are the most`)
}

const refused = (why: string): Fault => new Fault('bundle_refused', `the bundle is refused: ${why}`)
