import type { AgentDefinition } from '../../adapters/agents/definition/definition.ts'
import type { GitRepository } from '../../adapters/workspaces/index.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { Role } from '../../model/agent/agent.ts'
import { look, type Check, type Seen } from './check.ts'
import { seeArtifacts, seeProcesses, seeSessions, seeWorkspaces } from './leftovers.ts'
import {
  seeAgent,
  seeConfiguration,
  seeRepository,
  seeSandbox,
  seeTrust,
  seeVerification,
} from './project.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit } from '../../adapters/process/git-process.ts'
import type { Store } from '../../adapters/store/index.ts'
import { describePostgres } from '../../adapters/store/postgres/postgres-address.ts'
import { discoveryEnvironment, findGit } from '../../adapters/workspaces/objects/git.ts'
import { Fault } from '../../model/fault.ts'
import { openHome } from '../home.ts'
import { findDatabase, openStore } from '../open-store.ts'

export type { Check } from './check.ts'

export interface DoctorRequest {
  readonly cwd: string
  readonly env: Variables
  /** Agents of one's own, beside the built-in ones. */
  readonly agents?: readonly AgentDefinition[]
  /** Removes what no living process owns, instead of only naming it. */
  readonly fix: boolean
}

/** Looks at the machine, the repository and the leftovers of earlier runs; a fault is reported, never thrown. */
export async function examine(request: DoctorRequest): Promise<readonly Check[]> {
  const { env, cwd } = request
  const node = await look('node', seeNode)
  const git = await look('git', () => seeGit(env, cwd))
  const home = await look('home', () => seeHome(env))
  const machine = [node.check, git.check, home.check]
  const project = await examineProject(request, home.value)
  const left = home.value === null ? [] : await examineHome(request, home.value, project)
  return [...machine, ...project.checks, ...left]
}

interface Project {
  readonly checks: readonly Check[]
  readonly git: GitRepository | null
  readonly loaded: LoadedConfig | null
}

async function examineProject(
  { cwd, env, agents = [] }: DoctorRequest,
  home: string | null,
): Promise<Project> {
  const repository = await look('repository', () => seeRepository({ cwd, env }, home))
  // A repository that cannot be worked with has its configuration all the same.
  const seen = repository.value ?? (await look('repository', () => seeRepository({ cwd, env }, null))).value
  const root = seen?.found.root ?? null
  const configuration = await look('configuration', () =>
    seeConfiguration({ repositoryRoot: root, env, agents }),
  )
  const checks = [repository.check, configuration.check]
  const loaded = configuration.value
  const git = repository.value?.git ?? null
  if (loaded === null) return { checks, git, loaded }
  checks.push((await look('verification', () => seeVerification(loaded, env))).check)
  if (home !== null && git) checks.push((await look('trust', () => seeTrust(loaded, git, home))).check)
  for (const role of Role.options) {
    const { check } = await look(`agent_${role}`, () => seeAgent({ loaded, env }, role, root))
    checks.push(usedRoles.includes(role) || check.status === 'ok' ? check : { ...check, status: 'warning' })
  }
  checks.push((await look('sandbox', () => seeSandbox(loaded, env))).check)
  return { checks, git, loaded }
}

/** A session also runs without the others. */
const usedRoles: readonly Role[] = ['reviewer', 'fixer', 'challenger']

/** The leftovers of earlier runs. Nothing is removed unless the database says which of it is still needed. */
async function examineHome(
  { fix, env }: DoctorRequest,
  home: string,
  { git, loaded }: Project,
): Promise<readonly Check[]> {
  const database = await look('database', () => seeDatabase(home, env))
  const store = database.value
  const processes = await look('processes', () => seeProcesses(home, { fix }))
  if (store === null) return [database.check, processes.check]
  try {
    const sessions = await look('sessions', () => seeSessions(store, { fix }))
    const workspaces = await look('workspaces', () => seeWorkspaces(home, store, { fix }))
    const found = [database.check, processes.check, sessions.check, workspaces.check]
    if (git === null || loaded === null) return found
    const artifacts = await look('artifacts', () => seeArtifacts({ home, env, git, store, loaded }, { fix }))
    return [...found, artifacts.check]
  } finally {
    await store.close()
  }
}

/** Below this, workspaces and databases soon cannot be written. */
const lowSpaceBytes = 1_000_000_000

const othersWrite = 0o002

/** The launcher has refused an older Node already; this says which one it chose. */
async function seeNode(): Promise<Seen<string>> {
  return { value: process.version, message: `${process.version} at ${process.execPath}` }
}

async function seeGit(env: Variables, cwd: string): Promise<Seen<string>> {
  const program = findGit(env)
  const { stdout } = await runGit({ program, args: ['version'], cwd, env: discoveryEnvironment(env) })
  const version = stdout.toString('utf8').trim()
  return { value: version, message: `${version} at ${program}` }
}

/** Writes and removes a small file: permissions alone do not tell whether a folder can be used. */
async function seeHome(env: Variables): Promise<Seen<string>> {
  const home = openHome(env)
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
  if (((await stat(home)).mode & othersWrite) !== 0)
    return {
      value: home,
      message: `${home}, in which everybody on this machine may write`,
      status: 'warning',
      hint: `They could trust commands in your name: chmod 700 '${home}'`,
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

async function seeDatabase(home: string, env: Variables): Promise<Seen<Store>> {
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
