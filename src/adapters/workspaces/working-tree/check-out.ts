import { mkdir } from 'node:fs/promises'
import type { TreeId } from '../../../model/id.ts'
import type { Git } from '../git/git.ts'

/** A checked-out tree and its index, which lies outside of it. */
export interface CheckedOut {
  readonly tree: string
  readonly index: string
}

/** Writes a tree's files into an empty folder, exact to the byte, and an index that knows their stat data. */
export async function checkOut(git: Git, { tree: folder, index }: CheckedOut, tree: TreeId): Promise<void> {
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: folder }
  await mkdir(folder, { recursive: true })
  await git.run(['read-tree', '--reset', '-u', tree], { env })
}
