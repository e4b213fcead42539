import { expect, it } from 'vitest'
import { codeFiles } from '../../../test/fixtures/code-files.ts'
import type { AgentRequest, AgentPowers } from '../ports.ts'
import { askReviewer, type ReviewRequest } from './ask-reviewer.ts'

const answer = JSON.stringify({ groups: [], coverage: { reviewed: ['a.js'], partly: [], skipped: [] } })

async function ask(can: Partial<AgentPowers>) {
  const requests: AgentRequest[] = []
  const done: string[] = []
  const agent = {
    name: 'one',
    family: 'rules',
    can,
    run: async (request: AgentRequest) => {
      requests.push(request)
      return { text: answer, ending: { ended: 'finished' }, cost_usd: 0, tokens: 0 }
    },
  }
  const { list, read } = codeFiles({ 'a.js': 'f()\n' })
  const ports = {
    trees: { list, readMany: (_tree: string, paths: readonly string[]) => read(paths) },
    prompts: { read: async () => ({ reviewer: 'You review.' }) },
    artifacts: { write: async (_id: string, name: string) => void done.push(`wrote ${name}`) },
    workspaces: {
      open: async () => (done.push('opened'), { path: '/w' }),
      close: async () => void done.push('closed'),
    },
  }
  const request = {
    revision: { commit: 'c', tree: 't' },
    paths: [],
    changed: null,
    spec: null,
    experts: [],
    conventions: [],
    signal: new AbortController().signal,
    limits: { run: (_agent: unknown, go: (watched: unknown) => unknown) => go({ hear: () => undefined }) },
    onWait: () => undefined,
  } as unknown as ReviewRequest
  const call = { id: 'rev_1', reviewer: { agent, timeoutMs: 1 }, workspaceId: 'w', shard: ['a.js'], parts: 1 }
  return { answered: await askReviewer(call as never, request, ports as never), requests, done }
}

it('a reviewer gets a workspace and a prompt that is kept', async () => {
  const { answered, requests, done } = await ask({})
  expect(answered).toMatchObject({ coverage: { reviewed: ['a.js'] } })
  expect(requests[0]).toMatchObject({
    task: { workspace: '/w' },
    prompt: expect.stringContaining('You review.'),
  })
  expect(requests[0]).not.toHaveProperty('files')
  expect(done).toEqual(
    expect.arrayContaining(['wrote w-1-prompt.md', 'opened', 'wrote w-1-answer.txt', 'closed']),
  )
})

it('a tool that reads trees gets the files of the tree, and nothing is checked out or asked in words', async () => {
  const { answered, requests, done } = await ask({ readsTrees: true })
  expect(answered).toMatchObject({ coverage: { reviewed: ['a.js'] } })
  expect(done).toEqual(['wrote w-1-answer.txt'])
  expect(requests[0]).toMatchObject({ task: { workspace: '' }, prompt: '' })
  const files = requests[0]?.files
  expect([...((await files?.list()) ?? [])]).toEqual(['a.js'])
  expect(await files?.read(['a.js'])).toEqual(new Map([['a.js', Buffer.from('f()\n')]]))
})
