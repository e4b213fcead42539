import { mkdirSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Fault } from '../model/fault.ts'
import type { Variables } from '../adapters/process/clean-environment.ts'

const hint = 'Set FIXPOINT_HOME to a folder that you may write to.'

/** The folder that holds database, artifacts and workspaces: it is made where it is not there yet. */
export function openHome(env: Variables): string {
  const home = resolveHome(env)
  try {
    makePrivateFolder(home)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC')
      throw new Fault('disk_full', `no space is left for ${home}`, { cause })
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Fault('home_unusable', `the folder ${home} cannot be made: ${reason}`, { cause, hint })
  }
  return home
}

/** `FIXPOINT_HOME`, else the XDG data folder. */
function resolveHome({ FIXPOINT_HOME: given, XDG_DATA_HOME: data, HOME: home }: Variables): string {
  if (given) return resolve(given)
  if (data && isAbsolute(data)) return join(data, 'fixpoint')
  if (home && isAbsolute(home)) return join(home, '.local', 'share', 'fixpoint')
  throw new Fault('home_unusable', 'there is no folder for the data of Fixpoint: HOME is not set', { hint })
}

/** One folder after another: where a file system lets nobody make any (/proc), Node's own recursive way never ends. */
function makePrivateFolder(folder: string): void {
  if (isFolder(folder)) return
  const above = dirname(folder)
  if (above !== folder) makePrivateFolder(above)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it a moment ago.
    if (!isFolder(folder)) throw error
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
