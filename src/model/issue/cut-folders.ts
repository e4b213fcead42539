interface FolderCount {
  readonly value: string
  readonly count: number
}

/** As many levels of folders as leave at most so many, each with all that is in it; at least one level below the path. */
export function cutFolders(folders: readonly FolderCount[], most: number, path = ''): readonly FolderCount[] {
  const least = path.split('/').filter(Boolean).length + 1
  let levels = folders.reduce((deepest, { value }) => Math.max(deepest, value.split('/').length), 0)
  let cut = folders
  while (cut.length > most && levels > least) cut = cutTo(folders, --levels)
  return cut
}

function cutTo(folders: readonly FolderCount[], levels: number): readonly FolderCount[] {
  const counted = new Map<string, number>()
  for (const { value, count } of folders) {
    const folder = value.split('/').slice(0, levels).join('/')
    counted.set(folder, (counted.get(folder) ?? 0) + count)
  }
  return [...counted].map(([value, count]) => ({ value, count })).toSorted((a, b) => b.count - a.count)
}
