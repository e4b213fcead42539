import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/client/index.ts'
import type { StartRequest } from '../../src/model/api/fix.ts'
import type { EventType, FixEvent } from '../../src/model/session/event.ts'
import { startTestServer } from '../../test/fixtures/server.ts'
import { startTestWorker } from '../../test/fixtures/shared-scene.ts'
import { makeFolder } from '../../test/fixtures/repositories.ts'
import { makeSleepingRepository, type SleepingRepository } from '../sleeping-session.ts'

export interface FleetTerms {
  readonly repositories: number
  /** Issues of each repository. */
  readonly issues: number
  /** Attempts of one session at once. */
  readonly concurrency: number
  readonly sleepSeconds: number
  readonly spreadSeconds?: number
  /** The arguments of each worker. */
  readonly workers: readonly (readonly string[])[]
  readonly env?: Readonly<Record<string, string>>
}

export interface FleetRun {
  readonly tookMs: number
  readonly fixed: number
  readonly mostAtOnce: number
  /** When the fix of each issue had passed its checks, in ascending order. */
  readonly acceptedMs: readonly number[]
}

export interface Fleet {
  /** Starts sessions of so many issues each, all at once, and follows them to their ends. */
  fixAll(each: number): Promise<FleetRun>
  dispose(): Promise<void>
}

/** A server that leaves all work to workers, and repositories whose agents sleep. */
export async function startFleet(url: string, terms: FleetTerms): Promise<Fleet> {
  const { issues, concurrency, sleepSeconds, spreadSeconds = 0 } = terms
  const made = Array.from({ length: terms.repositories }, (_, number) =>
    makeSleepingRepository(
      { issues, concurrency, sleepSeconds, spreadSeconds, sandbox: 'off' },
      `${number} ${Date.now()}`,
    ),
  )
  const [first] = made
  if (!first) throw new Error('a fleet needs a repository')
  const place = makeFolder()
  const home = join(place.folder, 'home')
  const env = {
    ...first.repository.env,
    ...terms.env,
    FIXPOINT_HOME: home,
    FIXPOINT_DATABASE: url,
    FIXPOINT_SANDBOX: 'off',
  }
  const server = await startTestServer({ root: first.repository.root, home, env, args: ['--no-work'] })
  const workers = await Promise.all(
    terms.workers.map((args) => startTestWorker(first.repository.root, env, args)),
  )
  return {
    fixAll: (each) => fixAll(server.client, made, each),
    async dispose() {
      await Promise.all(workers.map((worker) => worker.end()))
      await server.end()
      made.forEach(({ repository }) => repository.dispose())
      place.dispose()
    },
  }
}

async function fixAll(client: Client, made: readonly SleepingRepository[], each: number): Promise<FleetRun> {
  const requests: StartRequest[] = []
  for (const one of made) requests.push(...(await prepare(client, one, each)))
  const startedAt = performance.now()
  const ended = await Promise.all(requests.map((request) => followOne(client, request)))
  return {
    tookMs: performance.now() - startedAt,
    fixed: ended.reduce((sum, { fixed }) => sum + fixed, 0),
    mostAtOnce: overlap(ended),
    acceptedMs: ended.flatMap(({ acceptedMs }) => acceptedMs).toSorted((a, b) => a - b),
  }
}

async function prepare(
  client: Client,
  { repository, findings }: SleepingRepository,
  each: number,
): Promise<readonly StartRequest[]> {
  const { id: repository_id } = await client.addRepository({ path: repository.root, trust: true })
  await client.importFindings(repository_id, readFileSync(findings, 'utf8'))
  const { issues } = await client.issues(repository_id, { limit: 200, status: ['open'] })
  return Array.from({ length: Math.floor(issues.length / each) }, (_, number) => ({
    repository_id,
    issue_ids: issues.slice(number * each, (number + 1) * each).map(({ id }) => id),
  }))
}

interface Ended {
  readonly fixed: number
  readonly fromMs: number
  readonly toMs: number
  readonly acceptedMs: readonly number[]
}

/** Starts one session and follows it; it runs from its first agent to its end. */
async function followOne(client: Client, request: StartRequest): Promise<Ended> {
  const { session_id: sessionId } = await client.start(request)
  const events: FixEvent[] = []
  const signal = AbortSignal.timeout(10 * 60_000)
  await client.follow({ sessionId, signal, onEvent: (event) => events.push(event) })
  const timeOf = (type: EventType): number =>
    Date.parse(events.find((event) => event.type === type)?.timestamp ?? '')
  return {
    fixed: events.filter(({ type }) => type === 'fix_issue_committed').length,
    fromMs: timeOf('fix_issue_started'),
    toMs: timeOf('fix_session_completed'),
    acceptedMs: events
      .filter(({ type, issue_id }) => type === 'fix_verification_result' && issue_id)
      .map(({ timestamp }) => Date.parse(timestamp)),
  }
}

/** The most sessions that ran at the same moment. */
const overlap = (all: readonly Ended[]): number =>
  Math.max(...all.map(({ fromMs }) => all.filter((one) => one.fromMs <= fromMs && fromMs < one.toMs).length))
