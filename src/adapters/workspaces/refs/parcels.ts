import type { Parcels } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { CommitId } from '../../../model/id.ts'
import type { NamedObject } from '../../../model/session/named-objects.ts'
import type { GitRepository } from '../objects/repository.ts'
import { writeObject } from '../objects/write-objects.ts'
import { packBundle, unpackBundle } from './bundles.ts'
import { parseBundleHeader } from './bundle-header.ts'

const ref = 'refs/fixpoint/parcel'

/** Single trees and commits as bundles, on their way from one machine's owned git directory to another's. */
export const createParcels = (repository: GitRepository): Parcels => ({
  has: (object) => hasWhole(repository, object),
  async pack(object) {
    const tip = object.kind === 'commit' ? object.id : await commitOf(repository, object)
    return packBundle(repository, { refs: new Map([[ref, tip]]), needs: [object.since] })
  },
  async unpack(object, bytes) {
    const { header } = parseBundleHeader(bytes, repository.objectFormat)
    const tip = header.refs.get(ref)
    if (tip === undefined || header.refs.size > 1 || header.needs.some((id) => id !== object.since))
      throw refused(object, 'it says to hold something else')
    if (object.kind === 'commit' && tip !== object.id) throw refused(object, `it brings ${tip}`)
    await unpackBundle(repository, bytes)
    if (object.kind === 'commit') return
    const brought = await repository.owned.text(['rev-parse', '--verify', `${tip}^{tree}`])
    if (brought !== object.id) throw refused(object, `it brings ${brought}`)
  },
})

/** Whether an object is here with all that it is made of, and not only its name. */
async function hasWhole({ owned }: GitRepository, { id, since }: NamedObject): Promise<boolean> {
  const listed = await owned.run(['rev-list', '--objects', '--quiet', id, `^${since}`], { answers: [1, 128] })
  return listed.exitCode === 0
}

/** A bundle brings commits: the tree becomes the same one wherever it is packed. */
async function commitOf({ owned, oidBytes }: GitRepository, { id, since }: NamedObject): Promise<CommitId> {
  const who = 'fixpoint <fixpoint@localhost> 0 +0000'
  const text = `tree ${id}\nparent ${since}\nauthor ${who}\ncommitter ${who}\n\na tree under way\n`
  return CommitId.parse(await writeObject(owned, oidBytes, { type: 'commit', bytes: Buffer.from(text) }))
}

const refused = ({ kind, id }: NamedObject, why: string): Fault =>
  new Fault('bundle_refused', `the bundle of the ${kind} ${id} is refused: ${why}`)
