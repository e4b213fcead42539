import { createHash } from 'node:crypto'
import { readRemoteName } from '../../adapters/forges/github/repository-name.ts'
import { createRunMark, isDriven, isOwnProcess } from '../../adapters/process/run-mark.ts'
import { requireTrusted } from '../../app/fix/require-trusted.ts'
import { nameOnForge } from '../../app/forge/open-forge.ts'
import { syncPullRequest } from '../../app/forge/sync-pull-requests.ts'
import type { App } from '../../app/open-app.ts'
import type { HookDelivery } from '../../loop/ports.ts'
import { asFault, isRetryable } from '../../model/fault.ts'
import { placeOfCall, readHook, type HookCall } from '../../model/forge/webhook.ts'
import type { SessionId } from '../../model/id.ts'
import type { Repository } from '../../model/repository.ts'
import type { Serving } from '../serving/serving.ts'
import { createTurns } from '../steering/turns.ts'
import { runCommentCommand } from './run-command.ts'

/** One delivery of a forge whose signature was right. */
export interface ReceivedHook {
  readonly id: string
  readonly event: string
  readonly body: string
}

export interface HookQueue {
  /** Keeps the delivery for later, and answers at once what will become of it. */
  receive(told: ReceivedHook): Promise<'queued' | 'known' | 'ignored'>
  /** Waits until nothing is worked on any more; the next server takes up the rest. */
  close(): Promise<void>
}

interface QueueParts {
  readonly serving: Serving
  readonly stopping: AbortSignal
  readonly onError: (error: unknown, what: string) => void
}

const lookEveryMs = 30_000
const mostTries = 5

/** Works deliveries off, those of one pull request one after the other. */
export function createHookQueue({ serving, stopping, onError }: QueueParts): HookQueue {
  const { deliveries } = serving.store
  const working = new Map<string, Promise<void>>()
  const inTurn = createTurns()

  const look = async (): Promise<void> => {
    for (const delivery of await deliveries.open()) {
      const { id, owner } = delivery
      const isElsewhere = isDriven(serving.store, { owner }) && !(owner !== null && isOwnProcess(owner))
      if (stopping.aborted || working.has(id) || isElsewhere) continue
      const mine = createRunMark(serving.home)
      if (!(await deliveries.take(id, owner, mine)) || working.has(id)) continue
      const done = workOff({ ...delivery, owner: mine }, { serving, stopping, onError, inTurn })
        .catch((error: unknown) => onError(error, 'working off a webhook'))
        .finally(() => working.delete(id))
      working.set(id, done)
    }
  }
  const lookNow = (): void => void look().catch((error: unknown) => onError(error, 'looking for webhooks'))
  const timer = setInterval(lookNow, lookEveryMs).unref()
  lookNow()
  return {
    async receive({ id, event, body }) {
      const job = readHook(event, parseJson(body))
      if (job === null) return 'ignored'
      const isNew = await deliveries.keep({ id, job, place: placeOfCall(job), subject: subjectOf(job, body) })
      if (isNew) lookNow()
      return isNew ? 'queued' : 'known'
    },
    async close() {
      clearInterval(timer)
      await Promise.all(working.values())
    },
  }
}

type Turns = ReturnType<typeof createTurns>

/** A failure that passes by itself is tried again a few times; any other is logged, and the delivery is done. */
async function workOff(
  delivery: HookDelivery,
  { serving, inTurn, ...parts }: QueueParts & { readonly inTurn: Turns },
): Promise<void> {
  const { stopping, onError } = parts
  let current = delivery
  const note = async (change: Partial<HookDelivery> & { readonly isDone: boolean }): Promise<void> => {
    current = { ...current, ...change }
    await serving.store.deliveries.note({ ...current, isDone: change.isDone })
  }
  const noteSession = (sessionId: SessionId): Promise<void> => note({ sessionId, isDone: false })
  try {
    await runJob(serving, delivery, { ...parts, noteSession, inTurn })
    if (!stopping.aborted) await note({ isDone: true })
  } catch (error) {
    const tries = current.tries + 1
    const isDone = !stopping.aborted && (!isRetryable(asFault(error).code) || tries >= mostTries)
    onError(error, `working off ${placeOfCall(delivery.job)}${isDone ? '' : ', which will be tried again'}`)
    await note({ tries, owner: null, isDone })
  }
}

/** The id of a delivery is not signed, so that alone does not tell a repeated one: a comment counts once, and so does a text. */
const subjectOf = (job: HookCall, body: string): string =>
  job.kind === 'comment'
    ? `comment:${job.repository.toLowerCase()}:${job.comment}`
    : `text:${createHash('sha256').update(body).digest('hex')}`

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

interface JobParts extends Omit<QueueParts, 'serving'> {
  readonly noteSession: (id: SessionId) => Promise<void>
  readonly inTurn: Turns
}

/** Every repository of this server that has the name on the forge. */
async function runJob(serving: Serving, delivery: HookDelivery, parts: JobParts): Promise<void> {
  const { job } = delivery
  for (const { id } of likeliestFirst(await serving.store.repositories.list(), job.repository)) {
    const app = await openNamed(serving, id, job.repository)
    if (!app) continue
    try {
      if (job.kind === 'comment')
        await runCommentCommand(serving, app, { ...parts, delivery: { ...delivery, job } })
      else
        await parts.inTurn(placeOfCall(job), async () => {
          await requireTrusted(app, { for: 'forge' })
          await syncPullRequest(app, job.number)
        })
    } finally {
      await app.close()
    }
    return
  }
}

/** To open a repository takes a while, and its address mostly tells its name. */
export function likeliestFirst<One extends Pick<Repository, 'url'>>(
  repositories: readonly One[],
  name: string,
): readonly One[] {
  const isNamed = ({ url }: One): boolean =>
    url !== null && readRemoteName(url)?.toLowerCase() === name.toLowerCase()
  return [...repositories.filter(isNamed), ...repositories.filter((one) => !isNamed(one))]
}

/** Null when it is another one, or when its folder is gone. */
async function openNamed(serving: Serving, id: string, name: string): Promise<App | null> {
  const app = await serving.openRepository(id).catch(() => null)
  if (!app) return null
  const named = await nameOnForge(app).catch(() => null)
  if (named?.repository?.toLowerCase() === name.toLowerCase()) return app
  await app.close()
  return null
}
