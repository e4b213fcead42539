import { setTimeout as delay } from 'node:timers/promises'
import { ApiError, createClient, type Client } from '../../client/index.ts'
import { Fault, faultCodes, type FaultCode } from '../../model/fault.ts'
import { exitCodeFor } from '../../model/session/session-result.ts'
import type { SessionAccess } from '../../tui/session-access.ts'
import { describeAnswer } from './store-access.ts'
import type { Watched } from './watched.ts'

export interface ServerPlace {
  readonly url: string
  readonly token: string
}

/** A session that a server has. */
export async function watchServer({ url, token }: ServerPlace, given: string | undefined): Promise<Watched> {
  const client = createClient({
    baseUrl: url,
    token,
    fetch: async (address, init) => {
      try {
        return await fetch(address, init)
      } catch (cause) {
        throw new Fault('busy', `no server can be reached at ${url}`, {
          cause,
          hint: 'fixpoint serve starts one; without --url the database of this machine is read.',
        })
      }
    },
    wait: async (ms, signal) => {
      await delay(ms, undefined, { signal }).catch(() => undefined)
    },
  })
  const detail = await client.session(given ?? (await newest(client)))
  return watched(client, detail.session_id, detail.repository_id)
}

const watched = (client: Client, id: string, repositoryId: string): Watched => ({
  id,
  access: serverAccess(client, id, repositoryId),
  follow: ({ signal, onEvent, onTrouble }) =>
    client.follow({
      sessionId: id,
      signal,
      onEvent,
      onState: (state) => onTrouble(state === 'waiting' ? 'the server cannot be reached' : null),
    }),
  readEnd: async () => {
    const [result, { attempts }, { driven }] = await Promise.all([
      client.report(id),
      client.attempts(id),
      client.session(id),
    ])
    const exitCode = result.status === 'parked' ? 4 : exitCodeFor(attempts, result)
    const counts = `${result.issues_fixed} fixed, ${result.issues_failed} failed, ${result.issues_skipped} skipped`
    const text = `${id} is ${result.status}: ${counts} of ${result.issues_requested}`
    return { result, exitCode, text, isDriven: driven }
  },
})

/** The newest one at work; the newest of all when none is. */
async function newest(client: Client): Promise<string> {
  const { sessions } = await client.sessions()
  const found = sessions.find(({ driven }) => driven) ?? sessions[0]
  if (found) return found.session_id
  throw new Fault('not_found', 'the server has no session yet', { hint: 'fixpoint fix starts one.' })
}

/** What a server refuses, in the words of the command line. */
export const faultOfRefusal = (error: unknown): unknown =>
  error instanceof ApiError ? new Fault(codeOf(error), error.message, { hint: error.problem.hint }) : error

const codeOf = ({ status, problem }: ApiError): FaultCode =>
  codes[status] ?? faultCodes.find((code) => code === problem.code) ?? 'not_evaluated'

const codes: Readonly<Record<number, FaultCode>> = {
  400: 'usage',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
}

/** A session that a server has. It goes on by itself as soon as it is answered. */
export function serverAccess(client: Client, id: string, repositoryId: string): SessionAccess {
  const isOfSession = ({ session_id }: { readonly session_id: string }): boolean => session_id === id
  return {
    detail: () => client.session(id),
    diff: (code) => client.diff(id, code),
    approvals: async () => (await client.approvals(repositoryId)).approvals.filter(isOfSession),
    questions: async () =>
      (await client.approvals(repositoryId)).questions
        .filter(isOfSession)
        .map(({ options = [], ...question }) => ({ ...question, options })),
    answerApproval: async (approval, answer) => {
      await client.answerApproval(
        id,
        approval.approval_id,
        'reject' in answer ? { decision: 'reject', reason: answer.reject } : { decision: 'approve' },
      )
      return describeAnswer(approval, answer)
    },
    answerQuestion: async ({ id: questionId }, answer) => {
      await client.answerQuestions(id, { answers: [{ question_id: questionId, answer }] })
      return 'answered'
    },
    cancel: async () => {
      await client.cancel(id)
      return 'cancelled: its issues are open again'
    },
  }
}
