import { join } from 'node:path'
import type { Artifacts, ArtifactShelf } from '../../loop/ports.ts'
import type { Variables } from '../process/clean-environment.ts'
import { createFolderArtifacts } from './folder-artifacts.ts'
import { findCredentials } from './s3/credentials.ts'
import { parseBucketUrl } from './s3/bucket-url.ts'
import { createBucket, type Bucket } from './s3/bucket.ts'
import { Fault } from '../../model/fault.ts'

export { collectUnfinished } from './folder-artifacts.ts'

export interface ArtifactsPlace {
  /** What `artifacts.url` says: `folder`, or an address such as `s3://bucket/prefix?region=…`. */
  readonly url: string
  readonly home: string
  readonly env: Variables
}

/** Where the artifacts are kept. */
export function openArtifacts({ url, home, env }: ArtifactsPlace): Artifacts & ArtifactShelf {
  if (url === 'folder') return createFolderArtifacts(join(home, 'artifacts'))
  const place = parseBucketUrl(url, env)
  return createBucketArtifacts(
    createBucket(place, () => findCredentials(env)),
    place.prefix,
  )
}

/** Artifacts as objects: `<prefix><session>/<name>`. An object is there whole or not at all. */
function createBucketArtifacts(bucket: Bucket, prefix: string): Artifacts & ArtifactShelf {
  const keyOf = (of: string, name: string): string => {
    const parts = [of, ...name.split('/')]
    if (parts.some((part) => part === '' || part === '.' || part === '..'))
      throw new Fault('internal', `an artifact cannot be named "${name}"`)
    return `${prefix}${parts.join('/')}`
  }
  return {
    write: (of, name, text) => bucket.put(keyOf(of, name), text),
    put: (of, name, bytes) => bucket.put(keyOf(of, name), bytes),
    read: (of, name) => bucket.get(keyOf(of, name)),
    async list(of) {
      const start = `${prefix}${of}/`
      return (await bucket.list(start, 'keys')).map((key) => key.slice(start.length)).filter(Boolean)
    },
    stream: (of, name) => bucket.stream(keyOf(of, name)),
    link: (of, name) => bucket.link(keyOf(of, name)),
    reach: () => bucket.reach(prefix),
    async owners() {
      const folders = await bucket.list(prefix, 'folders')
      return folders.map((folder) => folder.slice(prefix.length, -1)).filter(Boolean)
    },
    bytes: () => bucket.bytes(prefix),
    async remove(owner) {
      const start = `${keyOf(owner, 'all').slice(0, -'all'.length)}`
      for (const key of await bucket.list(start, 'keys')) await bucket.remove(key)
    },
  }
}
