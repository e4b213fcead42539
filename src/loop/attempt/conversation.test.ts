import { describe, expect, it } from 'vitest'
import { sampleIssue } from '../../../test/fixtures/issue.ts'
import type { AgentRun, AgentTask } from '../../model/agent/agent.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import type { Round } from '../../model/attempt/round.ts'
import type { Session } from '../../model/session/session.ts'
import { noPowers, type Agent, type AgentPowers } from '../ports.ts'
import { openConversation } from './conversation.ts'

const finished: AgentRun = {
  agent: 'claude',
  model: null,
  ending: { ended: 'finished' },
  text: '',
  tokens: 10,
  cost_usd: 0,
  conversation_id: 'one',
  duration_ms: 1,
}
const crashed: AgentRun = {
  ...finished,
  ending: { ended: 'failed', kind: 'crashed', message: '', reset_at: null },
}
const every: AgentPowers = { resume: true, fork: true, subagents: true, compact: true }

interface Given {
  readonly runs: readonly Partial<AgentRun>[]
  readonly attempt?: Partial<AttemptAt<'fixing'>>
  readonly options?: Partial<Session['options']>
  readonly can?: AgentPowers
}

/** Where the agent `claude` goes on after these runs, which were one round each. */
function open({ runs, attempt = {}, options = {}, can = every }: Given) {
  const rounds = runs.map((run, index) => ({ round: index + 1, run: { ...finished, ...run } }) as Round)
  const agent: Agent = { name: 'claude', family: 'claude', can, run: async () => finished }
  const request = { task: {} as AgentTask, signal: new AbortController().signal, hear: () => undefined }
  return openConversation(
    agent,
    {
      attempt: { rounds, ...attempt } as AttemptAt<'fixing'>,
      issue: sampleIssue({}),
      session: { options: { strategy: 'isolated', ...options } } as Session,
    },
    request,
  )
}
const resumed = { id: 'one', fork: false }

describe('a conversation that goes on', () => {
  it('knows its task where the last round was its own and ended well', async () => {
    expect(await open({ runs: [{}] })).toMatchObject({ conversation: resumed, knowsTask: true })
    expect(await open({ runs: [{}, {}] })).toMatchObject({ conversation: resumed, knowsTask: true })
  })
  it.each<readonly [string, Given]>([
    ['another agent had the last round', { runs: [{}, { agent: 'codex', conversation_id: 'two' }] }],
    ['its last round crashed', { runs: [crashed] }],
    ['the round is begun again', { runs: [{}], attempt: { begun_again: true } }],
    ['it is only a summary', { runs: [{}], options: { max_session_tokens: 5 } }],
  ])('is told everything where %s', async (_name, given) => {
    expect(await open(given)).toMatchObject({ conversation: resumed, knowsTask: false })
  })
  it('is a copy, and is told everything, where one call was for several issues', async () => {
    const options = { strategy: 'sequential' } as const
    expect(await open({ runs: [{}], options })).toMatchObject({
      conversation: { id: 'one', fork: true },
      knowsTask: false,
    })
    expect(await open({ runs: [{}, {}], options })).toMatchObject({ conversation: resumed, knowsTask: true })
  })
  it('is a new one where the agent cannot resume, or never spoke of it', async () => {
    const anew = { conversation: null, knowsTask: false }
    expect(await open({ runs: [{}], can: noPowers })).toMatchObject(anew)
    expect(await open({ runs: [{ agent: 'codex' }] })).toMatchObject(anew)
  })
})
