import { join } from 'node:path'
import type { Artifacts, ArtifactShelf } from '../../loop/ports.ts'
import type { Variables } from '../process/clean-environment.ts'
import { createFolderArtifacts } from './folder-artifacts.ts'
import { findCredentials } from './s3/credentials.ts'
import { parseBucketUrl } from './s3/bucket-url.ts'
import { createBucket } from './s3/bucket.ts'
import { createBucketArtifacts } from './s3/bucket-artifacts.ts'

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
