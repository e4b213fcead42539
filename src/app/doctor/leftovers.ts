import { collectControlGroups } from '../../adapters/jail/control-group.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { processTable } from '../../adapters/process/process-table.ts'
import { isDriven, isOwnerGone } from '../../adapters/process/run-mark.ts'
import { findOrphans, sweepOrphans } from '../../adapters/process/sweep-orphans.ts'
import type { Store } from '../../adapters/store/index.ts'
import {
  collectLeftovers,
  listAbandoned,
  listWorkspaces,
  type GitRepository,
} from '../../adapters/workspaces/index.ts'
import { formatDuration } from '../../model/duration.ts'
import { collectOldArtifacts } from '../collect-artifacts.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { isOver, type Session } from '../../model/session/session.ts'
import { freeStrandedOf, listStranded, resumable } from '../recover.ts'
import { countOf, type Seen } from './check.ts'

const mostSessions = 1_000
const fixHint = 'fixpoint doctor --fix removes what no living process owns.'

/** A session that is not over, and where its repository is. */
interface OpenSession {
  readonly session: Session
  readonly path: string
}

/** Sessions that nobody drives, of every repository of this home. */
export async function seeSessions(store: Store, { fix }: { readonly fix: boolean }): Promise<Seen<null>> {
  const stranded = await seeStranded(store, { fix })
  if (stranded) return stranded
  const open = await listOpenSessions(store)
  const undriven = open.filter(({ session }) => !isDriven(store, session))
  // What waits for a person is driven by nobody until they answer.
  const idle = undriven.filter(({ session }) => !session.status.startsWith('awaiting_'))
  const standing = [
    { count: open.length - undriven.length, text: 'at work' },
    { count: undriven.length - idle.length, text: 'waiting for a person' },
  ].flatMap(({ count, text }) => (count > 0 ? [`${count} ${text}`] : []))
  if (idle.length === 0) return { value: null, message: standing.join(', ') || 'none is open' }
  const names = idle.map(({ session, path }) => `${session.id} (${path})`)
  return {
    value: null,
    status: 'warning',
    message: `${countOf(idle.length, 'session')} that no process drives: ${names.join(', ')}`,
    hint: idle
      .map(({ session: { id } }) => `fixpoint resume ${id} goes on, fixpoint cancel ${id} ends it.`)
      .join('\n'),
  }
}

/** Issues that a session still holds although it is over: nobody works on them, and nobody else can. */
async function seeStranded(store: Store, { fix }: { readonly fix: boolean }): Promise<Seen<null> | null> {
  const repositories = await store.repositories.list()
  const stranded = (await listStranded({ store }, repositories)).flatMap(({ held }) => held)
  if (stranded.length === 0) return null
  if (fix) {
    const freed = await freeStrandedOf({ store }, repositories)
    return { value: null, message: `${freed.join(', ')} can be fixed again` }
  }
  return {
    value: null,
    status: 'warning',
    message: `${stranded.join(', ')}: held by sessions that are over`,
    hint: 'fixpoint doctor --fix gives them back; so does the next fix, review or resume.',
  }
}

async function listOpenSessions({ repositories, sessions }: Store): Promise<readonly OpenSession[]> {
  const open: OpenSession[] = []
  for (const { id, path } of await repositories.list()) {
    const found = await sessions.list(id, mostSessions)
    open.push(...found.filter((session) => !isOver(session)).map((session) => ({ session, path })))
  }
  return open
}

/** Workspaces of dead processes. Those of sessions that can go on are kept: their work is in them. */
export async function seeWorkspaces(
  home: string,
  store: Store,
  { fix }: { readonly fix: boolean },
): Promise<Seen<null>> {
  const isKept = resumable({ store })
  if (fix) {
    const removed = await collectLeftovers(home, undefined, isKept)
    return {
      value: null,
      message: removed.length > 0 ? `removed ${removed.join(', ')}` : 'nothing to remove',
    }
  }
  const { entries } = processTable.list()
  const all = await listWorkspaces(home)
  const abandoned = all.filter(({ owner }) => owner === null || isOwnerGone(owner, entries))
  const kept = await Promise.all(abandoned.map(({ id }) => isKept(id)))
  const left = abandoned.filter((_one, index) => !kept[index])
  if (left.length === 0)
    return {
      value: null,
      message: all.length > 0 ? `${countOf(all.length, 'workspace')} in use or kept` : 'none',
    }
  const message = `${countOf(left.length, 'workspace')} without a living owner: ${left.map(({ path }) => path).join(', ')}`
  return { value: null, status: 'warning', message, hint: fixHint }
}

interface ArtifactPlace {
  readonly home: string
  readonly env: Variables
  readonly git: GitRepository
  readonly store: Store
  readonly loaded: LoadedConfig
}

/** Artifacts of this repository that are older than its retention and that nothing needs. */
export async function seeArtifacts(
  { home, env, git, store, loaded }: ArtifactPlace,
  { fix }: { readonly fix: boolean },
): Promise<Seen<null>> {
  const repository = git.repositoryId && (await store.repositories.get(git.repositoryId))
  if (!repository) return { value: null, message: 'none' }
  const retentionMs = loaded.config.artifacts.retention_ms
  const request = { repositoryId: repository.id, retentionMs, atMost: Infinity, dryRun: !fix }
  const { url } = loaded.config.artifacts
  const { owners, failed } = await collectOldArtifacts({ home, env, url, git, store }, request)
  if (failed.length > 0)
    return {
      value: null,
      status: 'warning',
      message: `${countOf(failed.length, 'folder')} cannot be removed: ${failed.map(({ reason }) => reason).join('; ')}`,
    }
  const what = `those of ${countOf(owners.length, 'session or review', 'sessions or reviews')}`
  if (owners.length === 0) return { value: null, message: 'none is older than artifacts.retention' }
  if (fix) return { value: null, message: `removed ${what}` }
  return {
    value: null,
    status: 'warning',
    message: `${what} are older than artifacts.retention (${formatDuration(retentionMs)}), and nothing needs them`,
    hint: 'fixpoint doctor --fix removes them; so does the end of each session, a few at a time.',
  }
}

/** Programs that a killed Fixpoint of this home left running. */
export async function seeProcesses(home: string, { fix }: { readonly fix: boolean }): Promise<Seen<null>> {
  const abandoned = await listAbandoned(home)
  if (!fix) {
    const { pids } = findOrphans(home, abandoned)
    if (pids.length === 0) return { value: null, message: 'none is left behind' }
    const message = `${countOf(pids.length, 'program')} left running by a Fixpoint that is gone: ${pids.join(', ')}`
    return { value: null, status: 'warning', message, hint: fixHint }
  }
  const { killed, left } = await sweepOrphans(home, abandoned)
  const groups = await collectControlGroups()
  const done = [
    ...(killed.length > 0 ? [`ended ${killed.join(', ')}`] : []),
    ...(groups.length > 0 ? [`removed ${countOf(groups.length, 'control group')}`] : []),
  ]
  const message = done.length > 0 ? done.join(', ') : 'none is left behind'
  if (left.length === 0) return { value: null, message }
  return {
    value: null,
    status: 'warning',
    message: `${message}; could not end ${left.join(', ')}`,
    hint: 'They belong to another user, or hang in the system.',
  }
}
