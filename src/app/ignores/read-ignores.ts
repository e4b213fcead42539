import { Fault } from '../../model/fault.ts'
import { ignoredPath, type SharedIgnore } from '../../model/issue/move-by-hand.ts'
import type { App } from '../open-app.ts'
import { resolveBase } from '../resolve-base.ts'
import { parseIgnoredFile } from './ignored-file.ts'

const mostBytes = 4 * 1024 * 1024

/**
 * What a revision says to ignore, or the commit that is checked out: what nobody committed is no decision of the
 * project.
 */
export async function readSharedIgnores(app: App, revision?: string): Promise<readonly SharedIgnore[]> {
  const { trees, clock } = await app.ports()
  const { tree } = await resolveBase(app, revision)
  const bytes = (await trees.readMany(tree, [ignoredPath])).get(ignoredPath)
  if (bytes === undefined) return []
  if (bytes.length > mostBytes) throw new Fault('config_invalid', `${ignoredPath} has ${bytes.length} bytes`)
  const today = new Date(clock.now()).toISOString().slice(0, 10)
  const entries = parseIgnoredFile(new TextDecoder().decode(bytes))
  return entries.filter(({ until }) => until === null || until > today)
}
