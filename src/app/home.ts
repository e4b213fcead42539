import { isAbsolute, join, resolve } from 'node:path'
import { Fault } from '../model/fault.ts'
import type { Variables } from '../adapters/process/clean-environment.ts'

/** The folder that holds database, artifacts and workspaces: `FIXPOINT_HOME`, else the XDG data folder. */
export function resolveHome(env: Variables): string {
  const { FIXPOINT_HOME: given, XDG_DATA_HOME: data, HOME: home } = env
  if (given) return resolve(given)
  if (data && isAbsolute(data)) return join(data, 'fixpoint')
  if (home && isAbsolute(home)) return join(home, '.local', 'share', 'fixpoint')
  throw new Fault('home_unusable', 'there is no folder for the data of Fixpoint: HOME is not set', {
    hint: 'Set FIXPOINT_HOME to a folder that you may write to.',
  })
}
