/** A file with its size in bytes. */
export interface SizedFile {
  readonly path: string
  readonly size: number
}

export interface ShardLimits {
  readonly maxBytes: number
  readonly maxFiles: number
}

/** What one reviewer reads in one call, at most. */
export const shardLimits: ShardLimits = { maxBytes: 300_000, maxFiles: 80 }

/** Divides files among reviewer calls: files of one folder stay together while they fit, small folders share a call. */
export function divideIntoShards(
  files: readonly SizedFile[],
  limits: ShardLimits = shardLimits,
): readonly (readonly string[])[] {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const folders = [...Map.groupBy(sorted, ({ path }) => path.slice(0, path.lastIndexOf('/') + 1)).values()]
  const shards: SizedFile[][] = []
  for (const folder of folders) {
    const last = shards.at(-1)
    if (last && fits([...last, ...folder], limits)) last.push(...folder)
    else if (fits(folder, limits)) shards.push([...folder])
    else shards.push(...fill(folder, limits))
  }
  return shards.map((shard) => shard.map(({ path }) => path))
}

function fill(files: readonly SizedFile[], limits: ShardLimits): SizedFile[][] {
  const shards: SizedFile[][] = []
  for (const file of files) {
    const last = shards.at(-1)
    if (last && fits([...last, file], limits)) last.push(file)
    else shards.push([file])
  }
  return shards
}

const fits = (files: readonly SizedFile[], { maxBytes, maxFiles }: ShardLimits): boolean =>
  files.length <= maxFiles && files.reduce((sum, { size }) => sum + size, 0) <= maxBytes
