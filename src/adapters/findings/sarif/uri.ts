import { placePath, type PlacedPath } from '../../../model/repository-path.ts'
import type { JsonFields, JsonRecord } from '../json/json-fields.ts'
import type { WrittenPlace } from './place.ts'

export interface ArtifactLocation {
  readonly uri: string | null
  readonly baseId: string | null
}

/** What a run says about where its files lie. */
export interface SarifFiles {
  readonly root: string
  readonly artifacts: readonly ArtifactLocation[]
  readonly bases: ReadonlyMap<string, ArtifactLocation>
}

const maxBases = 16
/** Names of bases that mean the checkout, wherever the tool had it. */
const checkoutName = /root|src|source|repo|project|workspace|checkout/i

export function readArtifact(value: unknown, fields: JsonFields): ArtifactLocation {
  const location = fields.child(fields.object(value, 'artifact'), 'location')
  return location ? readLocation(location, fields) : { uri: null, baseId: null }
}

export function readBases(value: unknown, fields: JsonFields): ReadonlyMap<string, ArtifactLocation> {
  const bases = new Map<string, ArtifactLocation>()
  if (value === undefined || value === null) return bases
  const written = fields.object(value, 'originalUriBaseIds')
  for (const name of Object.keys(written)) {
    const base = fields.child(written, name)
    if (base) bases.set(name, readLocation(base, fields))
  }
  return bases
}

const readLocation = (location: JsonRecord, fields: JsonFields): ArtifactLocation => ({
  uri: fields.text(location, 'uri'),
  baseId: fields.text(location, 'uriBaseId'),
})

/** Finds the files of places; many results share a file, so each spelling is worked out once. */
export function createPlacer(files: SarifFiles): (place: WrittenPlace) => PlacedPath {
  const byBase = new Map<string | null, (key: string | number) => PlacedPath>()
  return (place) => {
    const { baseId, uri, index } = place
    let inBase = byBase.get(baseId)
    if (inBase === undefined) {
      inBase = remember((key) =>
        placeFile(
          typeof key === 'number' ? { uri: null, index: key, baseId } : { uri: key, index: null, baseId },
          files,
        ),
      )
      byBase.set(baseId, inBase)
    }
    return inBase(uri ?? index ?? '')
  }
}

/** Works out the answer for each key once. */
export function remember<Key, Value extends {} | null>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    const answer = known.get(key)
    if (answer !== undefined) return answer
    const worked = work(key)
    known.set(key, worked)
    return worked
  }
}

/** Finds a place's file in the repository, or says why it cannot be there. */
function placeFile(place: Pick<WrittenPlace, 'uri' | 'index' | 'baseId'>, files: SarifFiles): PlacedPath {
  const listed = place.index === null ? undefined : files.artifacts[place.index]
  const uri = place.uri ?? listed?.uri ?? null
  if (uri === null || uri === '') return { refused: 'the report names no file' }
  const written = readUri(uri)
  if ('refused' in written || isAbsolute(written.path)) return withinRoot(written, files.root)
  return placeBelow(written.path, place.baseId ?? listed?.baseId ?? null, files)
}

/** Puts the bases in front, up to the first absolute one. */
function placeBelow(relative: string, baseId: string | null, files: SarifFiles): PlacedPath {
  let path = relative
  let name = baseId
  for (let count = 0; name !== null && count < maxBases; count += 1) {
    const base = files.bases.get(name)
    const above = base?.uri ? readUri(base.uri) : { path: '' }
    if ('refused' in above) return above
    const joined = above.path === '' ? path : `${above.path.replace(/\/$/, '')}/${path}`
    if (isAbsolute(above.path)) {
      const placed = placePath(joined, files.root)
      // The report was made in another checkout: below its root, paths are the same as here.
      return 'refused' in placed && checkoutName.test(name) ? placePath(path, files.root) : placed
    }
    path = joined
    name = base?.baseId ?? null
  }
  return placePath(path, files.root)
}

const withinRoot = (written: PlacedPath, root: string): PlacedPath =>
  'refused' in written ? written : placePath(written.path, root)

const isAbsolute = (path: string): boolean => /^(?:[/\\]|[a-zA-Z]:[\\/])/.test(path)

/** A file's path out of a URI; plain paths, which many tools write instead, stay as they are. */
function readUri(uri: string): PlacedPath {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]+):(\/\/([^/\\]*))?/.exec(uri)
  if (scheme === null) return { path: decode(uri) }
  if (scheme[1]?.toLowerCase() !== 'file') {
    return scheme[2] === undefined ? { path: decode(uri) } : { refused: 'the address is not one of a file' }
  }
  const host = scheme[3] ?? ''
  if (host !== '' && host.toLowerCase() !== 'localhost')
    return { refused: 'the address names another machine' }
  const path = decode(uri.slice(scheme[0].length))
  return { path: /^\/[a-zA-Z]:/.test(path) ? path.slice(1) : path }
}

function decode(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch (error) {
    // A lone percent sign is part of a plain file name.
    if (error instanceof URIError) return path
    throw error
  }
}
