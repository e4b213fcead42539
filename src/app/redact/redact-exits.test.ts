import { describe, expect, it } from 'vitest'
import { GITHUB_TOKEN, PRIVATE_KEY } from '../../adapters/secrets/made-up-secrets.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { Agent, AgentRequest, CheckRequest, Ports } from '../../loop/ports.ts'
import { data, inline, own, personsWords } from '../../loop/own-text.ts'
import { redactAgent, redactPorts, redactStore } from './redact-exits.ts'

const secretive = { text: GITHUB_TOKEN, ending: { ended: 'failed', message: GITHUB_TOKEN } }
const mark = '[redacted: github token]'

/** Stands for any port: keeps what its methods get, calls the functions among it, and answers with a secret. */
function listening(heard: unknown[]): object {
  const hear = async (...given: readonly unknown[]): Promise<unknown> => {
    for (const one of given)
      heard.push(typeof one === 'function' ? (one as Edit)(secretive) : await settled(one))
    return secretive
  }
  return new Proxy({}, { get: (_target, name) => (name === 'then' ? undefined : hear) })
}

/** With the parts of a triage, and the edits of issues, carried out. */
async function settled(given: unknown): Promise<unknown> {
  const { parts, issues } = (given ?? {}) as { parts?: AsyncIterable<unknown>; issues?: { edit: Edit }[] }
  const edited = issues?.map(({ edit }) => edit(secretive))
  const read: unknown[] = []
  for await (const part of parts ?? []) read.push(part)
  return { given, edited, read }
}
type Edit = (issue: unknown) => unknown

function wrapped() {
  const heard: unknown[] = []
  const whole = new Proxy({}, { get: (_target, name) => (name === 'origins' ? [] : listening(heard)) })
  return {
    heard: () => JSON.stringify(heard),
    ports: redactPorts(whole as Ports) as unknown as Opened,
    store: redactStore(whole as Store) as unknown as Opened,
  }
}
type Opened = Readonly<Record<string, Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>>>

describe('the exits', () => {
  it.each([
    ['ports', 'artifacts', 'write', ['ses_1', 'a.txt', GITHUB_TOKEN]],
    ['ports', 'artifacts', 'write', ['ses_1', 'a.json', JSON.stringify({ title: GITHUB_TOKEN })]],
    ['ports', 'composer', 'commit', [{ message: `fix: ${GITHUB_TOKEN}` }]],
    ['ports', 'branches', 'note', [[{ commit: 'c', text: JSON.stringify({ title: GITHUB_TOKEN }) }]]],
    ['ports', 'publisher', 'publish', [{ seq: null, message: GITHUB_TOKEN }]],
    ['store', 'checkCache', 'put', ['key', { run: `KEY=${GITHUB_TOKEN} npm test`, output: GITHUB_TOKEN }]],
    ['store', 'issues', 'change', ['iss_1', 'person', (issue: unknown) => issue]],
    [
      'store',
      'issues',
      'triage',
      [{ review: { title: GITHUB_TOKEN }, count: 1, parts: [{ findings: [{ title: GITHUB_TOKEN }] }] }],
    ],
    [
      'store',
      'sessions',
      'create',
      [
        {
          session: { notes: GITHUB_TOKEN },
          attempts: [{ diff: GITHUB_TOKEN }],
          events: [{ message: GITHUB_TOKEN }],
          key: 'key',
        },
      ],
    ],
    [
      'store',
      'sessions',
      'record',
      [
        {
          session: { notes: GITHUB_TOKEN },
          attempts: [{ diff: GITHUB_TOKEN }],
          issues: [{ id: 'iss_1', edit: (issue: unknown) => issue }],
          events: [{ message: GITHUB_TOKEN }],
        },
      ],
    ],
  ] as const)('%s.%s.%s lets no secret out', async (whole, port, method, given) => {
    const { heard, ...opened } = wrapped()
    await opened[whole][port]?.[method]?.(...given)
    expect(heard()).toContain(mark)
    expect(heard()).not.toContain(GITHUB_TOKEN)
  })

  it('what a check says holds no secret', async () => {
    expect(await wrapped().ports['checks']?.['run']?.({})).toEqual({
      text: mark,
      ending: { ended: 'failed', message: mark },
    })
  })

  it('an agent gets no secret, and gives none back', async () => {
    const heard: unknown[] = []
    const agent = {
      name: 'a',
      family: null,
      can: {},
      run: async ({ onUpdate, ...request }: AgentRequest) => {
        heard.push(request)
        onUpdate({ type: 'text', text: GITHUB_TOKEN })
        return secretive
      },
    }
    const told: unknown[] = []
    const run = await redactAgent(agent as unknown as Agent).run({
      prompt: GITHUB_TOKEN,
      task: { notes: GITHUB_TOKEN },
      subagents: [{ name: 'b', description: '', prompt: GITHUB_TOKEN }],
      onUpdate: (update: unknown) => told.push(update),
    } as unknown as AgentRequest)
    expect({ heard, told, run }).toEqual({
      heard: [
        { prompt: mark, task: { notes: mark }, subagents: [{ name: 'b', description: '', prompt: mark }] },
      ],
      told: [{ type: 'text', text: mark }],
      run: { text: mark, ending: { ended: 'failed', message: mark } },
    })
  })
})

it('nobody who watches an agent or a check sees a key that it prints line by line', async () => {
  const lines = PRIVATE_KEY.split('\n')
  const told: string[] = []
  const agent = {
    run: async ({ onUpdate }: AgentRequest) => {
      lines.forEach((text) => onUpdate({ type: 'text', text }))
      return { text: '', ending: {} }
    },
  }
  const onUpdate = ({ text }: { readonly text: string }) => void told.push(text)
  const asked = { prompt: own``, task: {}, onUpdate }
  await redactAgent(agent as unknown as Agent).run(asked as unknown as AgentRequest)
  const checks = {
    run: async ({ onOutput }: CheckRequest) => {
      lines.forEach((text) => onOutput?.({ name: 'test', text }))
      return []
    },
  }
  const { checks: closed } = redactPorts({ checks, origins: [], scanners: { names: [] } } as unknown as Ports)
  await closed.run({ onOutput: onUpdate } as unknown as CheckRequest)
  expect(told).toHaveLength(2 * lines.length)
  for (const line of lines.slice(1, -1)) expect(told.join('\n')).not.toContain(line)
})

it('a key that seems to begin in one fence and end in another does not open either of them', async () => {
  const key = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'
  const begin = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')
  const prompt = own`${data('text', begin)}\n\n## Rules\n\n- Keep ${inline(begin)}, ${inline(`${key}\`x`)}.\n\n${data('text', `${key}\n\`\`\`\n- Push.`)}\n\n${personsWords(`${begin}\n${key}`)}`
  const got: string[] = []
  const agent = {
    run: async (request: AgentRequest) => {
      got.push(request.prompt)
      return { text: '', ending: {} }
    },
  }
  await redactAgent(agent as unknown as Agent).run({ prompt, task: {} } as unknown as AgentRequest)
  expect(got).toEqual([prompt.replace(/> -----BEGIN[^]*/, '> [redacted: private key]')])
})

it('an answer of the built-in rules is redacted value by value, unless it is no plain record', async () => {
  const answers = [
    JSON.stringify({ groups: [{ issue: GITHUB_TOKEN, file: 'a.js' }] }),
    `{"issue":"${GITHUB_TOKEN}","issue":"b"}`,
    `{"issue": "${GITHUB_TOKEN}"}`,
    `{${GITHUB_TOKEN}}`,
  ]
  const told: unknown[] = []
  for (const text of answers) {
    const agent = { name: 'rules', run: async () => ({ text, ending: {} }) } as unknown as Agent
    const { text: got } = await redactAgent(agent).run({ prompt: '', task: {} } as unknown as AgentRequest)
    told.push(got)
  }
  expect(told).toEqual([
    `${JSON.stringify({ groups: [{ issue: mark, file: 'a.js' }] }, null, 2)}\n`,
    `{"issue":"${mark}","issue":"b"}`,
    `{"issue": "${mark}"}`,
    `{${mark}}`,
  ])
})
