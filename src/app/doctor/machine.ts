import { randomUUID } from 'node:crypto'
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit } from '../../adapters/process/git-process.ts'
import type { Store } from '../../adapters/store/index.ts'
import { describePostgres } from '../../adapters/store/postgres/postgres-address.ts'
import { discoveryEnvironment, findGit } from '../../adapters/workspaces/objects/git.ts'
import { Fault } from '../../model/fault.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { resolveHome } from '../home.ts'
import { findDatabase, openStore } from '../open-store.ts'
import type { Seen } from './check.ts'

/** Below this, workspaces and databases soon cannot be written. */
const lowSpaceBytes = 1_000_000_000

/** The launcher has refused an older Node already; this says which one it chose. */
export async function seeNode(): Promise<Seen<string>> {
  return { value: process.version, message: `${process.version} at ${process.execPath}` }
}

export async function seeGit(env: Variables, cwd: string): Promise<Seen<string>> {
  const program = findGit(env)
  const { stdout } = await runGit({ program, args: ['version'], cwd, env: discoveryEnvironment(env) })
  const version = stdout.toString('utf8').trim()
  return { value: version, message: `${version} at ${program}` }
}

/** Writes and removes a small file: permissions alone do not tell whether a folder can be used. */
export async function seeHome(env: Variables): Promise<Seen<string>> {
  const home = resolveHome(env)
  const probe = join(home, `doctor-${randomUUID()}`)
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    await writeFile(probe, 'fixpoint\n', { flag: 'wx' })
    await rm(probe)
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new Fault('home_unusable', `${home} cannot be written (${reason})`, {
      cause,
      hint: 'Set FIXPOINT_HOME to a folder that you may write to, on a disk that is not full.',
    })
  }
  const { bavail, bsize } = await statfs(home)
  const free = bavail * bsize
  const message = `${home}, ${(free / 1_000_000_000).toFixed(1)} GB free`
  if (free >= lowSpaceBytes) return { value: home, message }
  return {
    value: home,
    message,
    status: 'warning',
    hint: 'Free some space: every workspace is a copy of the tree.',
  }
}

export async function seeDatabase(home: string, env: Variables): Promise<Seen<Store>> {
  const place = findDatabase(home, env)
  const name = 'file' in place ? place.file : describePostgres(place.url)
  const store = await openStore(home, env)
  const damage = await store.integrity()
  if (damage.length === 0) return { value: store, message: `${name} is whole` }
  return {
    value: store,
    status: 'error',
    message: `${name} is damaged: ${damage.slice(0, 5).join('; ')}`,
    hint: 'Restore it from a backup, or move it away to start with an empty one.',
  }
}
