import type { BundleHeader, Bundles, NewBundle } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import type { CommitId } from '../../../model/id.ts'
import { signedName } from '../../process/run-mark.ts'
import type { GitRepository } from '../objects/repository.ts'
import { formatBundleHeader, parseBundleHeader } from './bundle-header.ts'
import { buildNotes, dataOf, importCommit, notesRef } from './notes.ts'

const mostBytes = 100 * 1024 * 1024
/** Unpacked. */
const mostInObject = 20 * 1024 * 1024
const mostInAll = 400 * 1024 * 1024
const timeoutMs = 5 * 60_000

/** Git bundles, written and read in the owned git directory. */
export const createBundles = (repository: GitRepository): Bundles => ({
  write: (bundle) => writeBundle(repository, bundle),
  header: (bytes) => parseBundleHeader(bytes, repository.objectFormat).header,
  unpack: (bytes) => unpackBundle(repository, bytes),
})

/** The header is written here, because git would take the names of refs from refs that there are. */
async function writeBundle(repository: GitRepository, bundle: NewBundle): Promise<Uint8Array> {
  const { branch, tip, base, notes, files, filesRef } = bundle
  const refs = new Map<string, CommitId>([[`refs/heads/${branch}`, tip]])
  if (notes.length > 0) refs.set(notesRef, await buildNotes(repository, null, notes))
  refs.set(filesRef, await commitFiles(repository, files))
  return packBundle(repository, { refs, needs: [base] })
}

export async function packBundle(repository: GitRepository, header: BundleHeader): Promise<Uint8Array> {
  const { stdout } = await repository.owned.run(
    ['pack-objects', '--revs', '--thin', '--delta-base-offset', '--stdout', '-q'],
    { stdin: revisionsOf(header), maxBytes: mostBytes, timeoutMs },
  )
  return Buffer.concat([Buffer.from(formatBundleHeader(header, repository.objectFormat)), stdout])
}

const revisionsOf = ({ refs, needs }: BundleHeader): string =>
  [...refs.values(), ...needs.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join('')

/** One commit without a parent that holds these files. */
const commitFiles = (repository: GitRepository, files: ReadonlyMap<string, string>): Promise<CommitId> =>
  importCommit(repository, `refs/fixpoint/${signedName('bundling')}`, [
    dataOf('What a session of fixpoint delivers\n'),
    ...[...files].flatMap(([path, text]) => [`M 100644 inline ${path}`, dataOf(text)]),
  ])

/** Git checks every object, and that none is missing, before anything in the bundle is looked at. */
export async function unpackBundle(repository: GitRepository, bytes: Uint8Array): Promise<void> {
  if (bytes.length > mostBytes)
    throw refused(`it has ${bytes.length} bytes, and ${mostBytes} are the most that is taken`)
  const { pack, header } = parseBundleHeader(bytes, repository.objectFormat)
  const args = ['index-pack', '--stdin', '--fix-thin', '--strict', `--max-input-size=${mostBytes}`]
  const checked = await repository.owned.run(args, { stdin: pack, timeoutMs, answers: [1, 128] })
  if (checked.exitCode !== 0) throw refused(`git says: ${checked.stderr.trim().slice(0, 500)}`)
  await checkSizes(repository, header)
}

/** A few bytes can be packed from very many: nothing is read before its size is known. */
async function checkSizes({ owned }: GitRepository, header: BundleHeader): Promise<void> {
  const listed = await owned.run(['rev-list', '--objects', '--no-object-names', '--stdin'], {
    stdin: revisionsOf(header),
    answers: [128],
    timeoutMs,
  })
  if (listed.exitCode !== 0) throw refused(`git says: ${listed.stderr.trim().slice(0, 500)}`)
  const sizes = await owned.text(['cat-file', '--batch-check=%(objectsize)'], { stdin: listed.stdout })
  const each = sizes.split('\n').map(Number)
  const most = each.reduce((biggest, size) => (size <= biggest ? biggest : size), 0)
  const sum = each.reduce((all, size) => all + size, 0)
  if (!(most <= mostInObject)) throw refused(`a file in it has ${most} bytes`)
  if (!(sum <= mostInAll)) throw refused(`its files have ${sum} bytes in all`)
}

const refused = (why: string): Fault => new Fault('bundle_refused', `the bundle is refused: ${why}`)
