import type { Artifacts, ArtifactShelf } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import type { Bucket } from './bucket.ts'

/** Artifacts as objects: `<prefix><session>/<name>`. An object is there whole or not at all. */
export function createBucketArtifacts(bucket: Bucket, prefix: string): Artifacts & ArtifactShelf {
  const keyOf = (of: string, name: string): string => {
    const parts = [of, ...name.split('/')]
    if (parts.some((part) => part === '' || part === '.' || part === '..'))
      throw new Fault('internal', `an artifact cannot be named "${name}"`)
    return `${prefix}${parts.join('/')}`
  }
  return {
    write: (of, name, text) => bucket.put(keyOf(of, name), text),
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
    async remove(owner) {
      const start = `${keyOf(owner, 'all').slice(0, -'all'.length)}`
      for (const key of await bucket.list(start, 'keys')) await bucket.remove(key)
    },
  }
}
