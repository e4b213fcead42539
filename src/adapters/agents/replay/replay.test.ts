import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { sampleTask } from '../../../../test/fixtures/attempt-samples.ts'
import { own } from '../../../loop/own-text.ts'
import { noPowers, type Agent, type AgentRequest } from '../../../loop/ports.ts'
import type { AgentRun, AgentUpdate, AgentTask } from '../../../model/agent/agent.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { createReplayAgent } from './index.ts'
import { recordRuns } from './record-runs.ts'
import type { Recording } from './recording.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A new folder that holds `a.txt`. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-replay-'))
  folders.push(folder)
  writeFileSync(join(folder, 'a.txt'), 'old\n')
  return folder
}

const issue = (code: string, fingerprint = `fp-${code}`): Issue => ({ code, fingerprint }) as Issue

const task = (workspace: string, given: Partial<AgentTask> = {}): AgentTask =>
  sampleTask({ issues: [issue('BE-001')], workspace, ...given })

const ask = (asked: AgentTask, given: Partial<AgentRequest> = {}): AgentRequest => ({
  task: asked,
  prompt: own`Fix it.`,
  timeoutMs: 1000,
  signal: new AbortController().signal,
  onUpdate: () => undefined,
  ...given,
})

const answer = (text: string): AgentRun => ({
  agent: 'scripted',
  model: 'm-1',
  ending: { ended: 'finished' },
  text,
  tokens: 7,
  cost_usd: 0.5,
  conversation_id: 'c-1',
  duration_ms: 12,
})

const told: readonly AgentUpdate[] = [
  { type: 'text', text: 'looking at BE-001' },
  { type: 'tool', name: 'edit', detail: 'a.txt' },
  { type: 'usage', tokens: 7, cost_usd: 0.5 },
]

/** Tells, writes `a.txt` and says something that names its issues and its workspace. */
const scripted = (
  name = 'scripted',
  say = (asked: AgentTask) => `${asked.issues[0]?.code} in ${asked.workspace}/a.txt`,
): Agent => ({
  name,
  family: 'scripts',
  can: noPowers,
  async run({ task: asked, onUpdate }) {
    told.forEach(onUpdate)
    if (asked.access === 'write') writeFileSync(join(asked.workspace, 'a.txt'), 'new\n')
    return { ...answer(say(asked)), agent: name }
  },
})

const replayIn = (folder: string, name = 'replay'): Agent => createReplayAgent({ name, folder })
const malformed = (message: RegExp) => ({
  agent: 'replay',
  text: '',
  ending: { ended: 'failed', kind: 'malformed', message: expect.stringMatching(message), reset_at: null },
})

const readRecording = (folder: string, file: string): Recording =>
  JSON.parse(readFileSync(join(folder, file), 'utf8'))

/** Records the scripted run, with changes to what was written if asked for. */
async function record(edit: (recording: Recording) => unknown = (recording) => recording): Promise<string> {
  const folder = join(makeFolder(), 'recordings')
  await recordRuns(scripted(), folder).run(ask(task(makeFolder())))
  const file = join(folder, 'fixer-BE-001-round-1-0.json')
  writeFileSync(file, JSON.stringify(edit(JSON.parse(readFileSync(file, 'utf8')))))
  return folder
}

describe('a recording', () => {
  it('holds the key, the run, what was told and what was changed', async () => {
    const folder = join(makeFolder(), 'recordings')
    const workspace = makeFolder()
    const heard: AgentUpdate[] = []
    const run = await recordRuns(scripted(), folder).run(
      ask(task(workspace), { onUpdate: (update) => heard.push(update) }),
    )
    expect(run).toEqual(answer(`BE-001 in ${workspace}/a.txt`))
    expect(heard).toEqual(told)
    expect(readdirSync(folder)).toEqual(['fixer-BE-001-round-1-0.json'])
    expect(readRecording(folder, 'fixer-BE-001-round-1-0.json')).toEqual({
      schema: 'fixpoint.recording.v1',
      role: 'fixer',
      access: 'write',
      round: 1,
      issues: [{ code: 'BE-001', fingerprint: 'fp-BE-001' }],
      agent: 'scripted',
      family: 'scripts',
      prompt_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      workspace,
      run,
      updates: told,
      updates_left_out: 0,
      changes: [
        {
          kind: 'file',
          path: 'a.txt',
          before: expect.stringMatching(/^[0-9a-f]{64}$/),
          executable: false,
          encoding: 'utf8',
          content: 'new\n',
        },
      ],
    })
  })

  it('gets a number of its own, also beside one that is written at the same moment', async () => {
    const folder = makeFolder()
    const recorder = recordRuns(scripted(), folder)
    await Promise.all([1, 2, 3].map(() => recorder.run(ask(task(makeFolder())))))
    await recorder.run(ask(task(makeFolder())))
    const names = [0, 1, 2, 3].map((index) => `fixer-BE-001-round-1-${index}.json`)
    expect(readdirSync(folder).toSorted()).toEqual(['a.txt', ...names])
  })

  it('is not made of a run that was cancelled', async () => {
    const folder = makeFolder()
    const controller = new AbortController()
    const run = ask(task(makeFolder()), { signal: controller.signal, onUpdate: () => controller.abort() })
    await recordRuns(scripted(), folder).run(run)
    expect(readdirSync(folder)).toEqual(['a.txt'])
  })

  it('keeps a bounded part of what was told', async () => {
    const folder = makeFolder()
    const chatty: Agent = {
      ...scripted(),
      async run({ onUpdate }) {
        for (let line = 0; line < 10_500; line += 1) onUpdate({ type: 'text', text: 'on and on' })
        return answer('')
      },
    }
    await recordRuns(chatty, folder).run(ask(task(makeFolder())))
    const recording = readRecording(folder, 'fixer-BE-001-round-1-0.json')
    expect([recording.updates.length, recording.updates_left_out]).toEqual([10_000, 500])
  })

  it('that cannot be written fails the run, and leaves a failure of the agent as it is', async () => {
    const folder = makeFolder()
    const recorder = recordRuns(scripted(), join(folder, 'a.txt'))
    expect((await recorder.run(ask(task(makeFolder())))).ending).toMatchObject({
      ended: 'failed',
      kind: 'malformed',
    })
    const billing = { ended: 'failed', kind: 'billing', message: 'no money', reset_at: null } as const
    const broke: Agent = { ...scripted(), run: async () => ({ ...answer(''), ending: billing }) }
    expect((await recordRuns(broke, join(folder, 'a.txt')).run(ask(task(makeFolder())))).ending).toEqual(
      billing,
    )
  })

  it('of an agent that removed its workspace fails the run', async () => {
    const gone: Agent = {
      ...scripted(),
      async run({ task: asked }) {
        rmSync(asked.workspace, { recursive: true })
        return answer('')
      },
    }
    const run = await recordRuns(gone, makeFolder()).run(ask(task(makeFolder())))
    expect(run.ending).toMatchObject({ ended: 'failed', kind: 'malformed' })
  })
})

describe('a replay', () => {
  it('tells, changes and answers the same in another workspace', async () => {
    const folder = await record()
    const workspace = makeFolder()
    const heard: AgentUpdate[] = []
    const run = await replayIn(folder).run(ask(task(workspace), { onUpdate: (update) => heard.push(update) }))
    expect(run).toEqual(answer(`BE-001 in ${workspace}/a.txt`))
    expect(heard).toEqual(told)
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('new\n')
  })

  it('finds an issue under another code by its fingerprint, and speaks of it by that code', async () => {
    const folder = await record()
    const workspace = makeFolder()
    const heard: AgentUpdate[] = []
    const asked = task(workspace, { issues: [issue('GEN-042', 'fp-BE-001')] })
    const run = await replayIn(folder).run(ask(asked, { onUpdate: (update) => heard.push(update) }))
    expect(run.text).toBe(`GEN-042 in ${workspace}/a.txt`)
    expect(heard[0]).toEqual({ type: 'text', text: 'looking at GEN-042' })
  })

  it('keeps issues apart whose codes have changed places', async () => {
    const folder = makeFolder()
    const recorder = recordRuns(
      scripted('scripted', ({ issues }) => `${issues[0]?.code} ${issues[0]?.fingerprint}`),
      folder,
    )
    for (const known of [issue('BE-001', 'first'), issue('BE-002', 'second')])
      await recorder.run(ask(task(makeFolder(), { issues: [known] })))
    const swapped = task(makeFolder(), { issues: [issue('BE-001', 'second')] })
    expect((await replayIn(folder).run(ask(swapped))).text).toBe('BE-001 second')
  })

  it('takes the code when the fingerprint is known nowhere', async () => {
    const folder = await record()
    const run = await replayIn(folder).run(ask(task(makeFolder(), { issues: [issue('BE-001', 'fp-moved')] })))
    expect(run.ending).toEqual({ ended: 'finished' })
  })

  it('answers one key in the order of its recordings, then no more', async () => {
    const folder = makeFolder()
    let count = 0
    const recorder = recordRuns(
      scripted('scripted', () => `answer ${(count += 1)}`),
      folder,
    )
    for (let run = 0; run < 11; run += 1) await recorder.run(ask(task(makeFolder())))
    const replay = replayIn(folder)
    const texts: string[] = []
    for (let run = 0; run < 11; run += 1) texts.push((await replay.run(ask(task(makeFolder())))).text)
    expect(texts).toEqual(Array.from({ length: 11 }, (_, index) => `answer ${index + 1}`))
    expect(await replay.run(ask(task(makeFolder())))).toMatchObject(
      malformed(/no recording of fixer BE-001, round 1, run 12 of it in /),
    )
  })

  it('prefers what an agent of its own name recorded', async () => {
    const folder = makeFolder()
    const asked = { role: 'reviewer', access: 'read', issues: [] } as const
    for (const name of ['one', 'two'])
      await recordRuns(
        scripted(name, () => `by ${name}`),
        folder,
      ).run(ask(task(makeFolder(), asked)))
    expect((await replayIn(folder, 'two').run(ask(task(makeFolder(), asked)))).text).toBe('by two')
    expect((await replayIn(folder, 'three').run(ask(task(makeFolder(), asked)))).text).toBe('by one')
  })

  it('is cancelled between what it tells and what it changes', async () => {
    const folder = await record()
    const workspace = makeFolder()
    const controller = new AbortController()
    const onUpdate = (update: AgentUpdate): void => (update.type === 'usage' ? controller.abort() : undefined)
    const run = await replayIn(folder).run(ask(task(workspace), { signal: controller.signal, onUpdate }))
    expect(run.ending).toMatchObject({ ended: 'failed', kind: 'cancelled' })
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('old\n')
  })
})

describe('a replay is malformed, and changes nothing,', () => {
  const refusals: [string, (folder: string) => void, RegExp][] = [
    [
      'without a folder',
      (folder) => rmSync(folder, { recursive: true }),
      /no recording of fixer BE-001, round 1 in /,
    ],
    [
      'with a cut file',
      (folder) => writeFileSync(join(folder, 'fixer-BE-001-round-1-0.json'), '{"schema":'),
      /round-1-0\.json is no recording/,
    ],
    [
      'with a folder of that name',
      (folder) => mkdirSync(join(folder, 'fixer-BE-001-round-1-1.json')),
      /round-1-1\.json is no recording/,
    ],
  ]
  it.each(refusals)('%s', async (_, spoil, message) => {
    const folder = await record()
    spoil(folder)
    expect(await replayIn(folder).run(ask(task(makeFolder())))).toMatchObject(malformed(message))
  })

  const path = (written: string) => (recording: Recording) => ({
    ...recording,
    changes: [
      { kind: 'file', path: written, before: null, executable: false, encoding: 'utf8', content: 'x' },
    ],
  })
  it.each([
    [
      'of another schema',
      (recording: Recording) => ({ ...recording, schema: 'fixpoint.recording.v2' }),
      /is no recording/,
    ],
    [
      'of another role',
      (recording: Recording) => ({ ...recording, role: 'planner' }),
      /was recorded for planner BE-001, round 1, not for fixer/,
    ],
    [
      'of another issue',
      (recording: Recording) => ({ ...recording, issues: [{ code: 'X-1', fingerprint: 'x' }] }),
      /was recorded for fixer X-1/,
    ],
    [
      'with other access',
      (recording: Recording) => ({ ...recording, access: 'read' }),
      /recorded with read access, not write/,
    ],
    ['that goes up', path('../outside.txt'), /the path leaves the workspace/],
    ['with an absolute path', path('/tmp/outside.txt'), /the path leaves the workspace/],
    ['that writes to .git', path('.git/hooks/pre-commit'), /the path leaves the workspace/],
    ['through a link', path('out/outside.txt'), /out is not a folder in the workspace/],
    ['below a file', path('a.txt/x'), /a\.txt is not a folder/],
    ['over a file that was not there', path('a.txt'), /a\.txt is not what it was/],
    [
      'of broken bytes',
      (recording: Recording) => ({
        ...recording,
        changes: [{ ...recording.changes[0], encoding: 'base64', content: '*' }],
      }),
      /content of a\.txt is broken/,
    ],
  ])('from a recording %s', async (_, edit, message) => {
    const folder = await record(edit)
    const outside = makeFolder()
    const workspace = makeFolder()
    symlinkSync(outside, join(workspace, 'out'))
    expect(await replayIn(folder).run(ask(task(workspace)))).toMatchObject(malformed(message))
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('old\n')
    expect(readdirSync(workspace)).toEqual(['a.txt', 'out'])
    expect(readdirSync(outside)).toEqual(['a.txt'])
  })

  it('in a workspace with other content than the recorded one', async () => {
    const folder = await record()
    const workspace = makeFolder()
    writeFileSync(join(workspace, 'a.txt'), 'newer\n')
    expect(await replayIn(folder).run(ask(task(workspace)))).toMatchObject(
      malformed(/a\.txt is not what it was/),
    )
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('newer\n')
  })
})
