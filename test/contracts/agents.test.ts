import { noJail } from '../../src/loop/ports.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createCommandAgent } from '../../src/adapters/agents/command/index.ts'
import { createReplayAgent } from '../../src/adapters/agents/replay/index.ts'
import { recordRuns } from '../../src/adapters/agents/replay/record-runs.ts'
import { createRulesAgent } from '../../src/adapters/agents/rules/index.ts'
import { builtInRules } from '../../src/adapters/agents/rules/built-in-rules.ts'
import type { Agent } from '../../src/loop/ports.ts'
import type { AgentUpdate } from '../../src/model/agent/agent.ts'
import { readFixerReport } from '../../src/model/agent/report.ts'
import { makeFolder, snapshotOf, writeFiles } from '../fixtures/repositories.ts'
import {
  ask,
  brokenCode,
  challengerTask,
  fixedCode,
  fixerTask,
  makePlace,
  survivorsOf,
  testAgent,
  type Place,
} from './agent-suite.ts'

const unjailed = { jail: noJail, root: '/checkout', allowedHosts: [], clis: [], prices: {} }
const programs = join(import.meta.dirname, '../fixtures/agents')

const programAgent = ({ home, env }: Pick<Place, 'home' | 'env'>, program: string, argument = ''): Agent =>
  createCommandAgent({
    name: 'mine',
    run: `"${process.execPath}" "${join(programs, program)}" ${argument}`,
    model: 'scripted',
    env,
    home,
    ...unjailed,
  })

const shelf = makeFolder()
afterAll(shelf.dispose)

/** Records the requests of the suite once, in workspaces other than those of the suite. */
async function recordAll(agent: Agent, folder: string): Promise<void> {
  const { workspace } = makePlace()
  const recorder = recordRuns(agent, folder)
  await recorder.run(ask(fixerTask(workspace())))
  const patched = workspace()
  const source = readFileSync(join(patched, 'src/total.js'), 'utf8')
  writeFiles(patched, { 'src/total.js': source.replace(brokenCode, fixedCode) })
  await recorder.run(ask(challengerTask(patched)))
}

function replaysOf(name: string, agent: Agent): () => Promise<{ agent: Agent; hanging: Agent }> {
  const folder = join(shelf.folder, name)
  const hangingFolder = join(shelf.folder, `${name}-hanging`)
  let recorded: Promise<unknown> | null = null
  return async () => {
    const hangs = recordRuns(
      programAgent({ home: join(shelf.folder, 'home'), env: shelf.env }, 'hangs.mjs'),
      hangingFolder,
    )
    recorded ??= Promise.all([
      recordAll(agent, folder),
      hangs.run(ask(fixerTask(makePlace().workspace()), { timeoutMs: 1_000 })),
    ])
    await recorded
    return {
      agent: createReplayAgent({ name: 'replay', folder }),
      hanging: createReplayAgent({ name: 'replay', folder: hangingFolder }),
    }
  }
}

const rules = createRulesAgent(builtInRules)

testAgent('the rules', () => ({ agent: rules }))
testAgent('a program', (place) => ({
  agent: programAgent(place, 'honest.mjs'),
  hanging: programAgent(place, 'hangs.mjs'),
}))
testAgent('a replay of the rules', replaysOf('rules', rules))
testAgent(
  'a replay of a program',
  replaysOf('program', programAgent({ home: join(shelf.folder, 'home'), env: shelf.env }, 'honest.mjs')),
)

const failed = (kind: string, message: string | RegExp) => ({
  ended: 'failed',
  kind,
  message: expect.stringMatching(message),
  reset_at: null,
})

async function runProgram(program: string, argument?: string) {
  const place = makePlace()
  const workspace = place.workspace()
  const before = snapshotOf(workspace)
  const heard: AgentUpdate[] = []
  const run = await programAgent(place, program, argument).run(
    ask(fixerTask(workspace), { onUpdate: (update) => heard.push(update) }),
  )
  return {
    run,
    heard,
    report: readFixerReport(run.text, ['BE-001'])?.issues.get('BE-001') ?? null,
    place,
    workspace,
    before,
  }
}

describe('what a program does', () => {
  it('gets its task in a file that nobody else may read and that is gone afterwards', async () => {
    const place = makePlace()
    const workspace = place.workspace()
    const show = 'stat -c %a "$FIXPOINT_TASK"; cat "$FIXPOINT_TASK"; echo; pwd; cat'
    const agent = createCommandAgent({
      name: 'mine',
      run: show,
      model: null,
      env: place.env,
      home: place.home,
      ...unjailed,
    })
    const run = await agent.run(ask(fixerTask(workspace), { prompt: 'Mind the gap.' }))
    const [mode, ...rest] = run.text.split('\n')
    expect(mode).toBe('600')
    expect(JSON.parse(rest.slice(0, -2).join('\n'))).toEqual(fixerTask(workspace))
    expect(rest.slice(-2)).toEqual([workspace, 'Mind the gap.'])
    expect(readdirSync(join(place.home, 'tasks'))).toEqual([])
  })

  it('tells what it prints, line by line', async () => {
    const { heard, workspace } = await runProgram('honest.mjs')
    expect(heard).toEqual([
      { type: 'text', text: `working on BE-001 in ${workspace}` },
      { type: 'text', text: expect.stringContaining('"outcome":"fixed"') },
    ])
  })

  it('has crashed when it exits with another code than 0, whatever it reported', async () => {
    const { run } = await runProgram('exits-1.mjs')
    expect(run).toEqual({
      agent: 'mine',
      model: 'scripted',
      ending: failed('crashed', /^exit code 1\nout of tokens$/),
      text: expect.stringContaining('fixed'),
      tokens: 0,
      cost_usd: 0,
      conversation_id: null,
      duration_ms: expect.any(Number),
    })
  })

  it('has crashed when it cannot be started', async () => {
    const { run } = await runProgram('there-is-no-such-program.mjs')
    expect(run.ending).toEqual(failed('crashed', /^exit code 1\n/))
  })

  it.each(['prints-prose.mjs', 'prints-html.mjs'])(
    'is finished without a report when it only %s',
    async (program) => {
      const { run, report, workspace, before } = await runProgram(program)
      expect(run.ending).toEqual({ ended: 'finished' })
      expect(report).toBeNull()
      expect(snapshotOf(workspace)).toEqual(before)
    },
  )

  it('has nothing to say on an issue when it answers for another one', async () => {
    const { run, report } = await runProgram('answers-for-another.mjs')
    expect(run.ending).toEqual({ ended: 'finished' })
    expect(report).toMatchObject({ outcome: 'deferred', explanation: 'no report' })
  })

  it('is stopped when it prints without end, with bounded text', async () => {
    const { run, place } = await runProgram('floods.mjs')
    expect(run.ending).toEqual(failed('crashed', /printed without end/))
    expect(run.text.length).toBeLessThan(9 * 2 ** 20)
    expect(survivorsOf(place.home)).toEqual([])
  })

  it('is finished when it has ended, and takes the daemon it left with it', async () => {
    const { run, report, place } = await runProgram('leaves-daemon.mjs')
    expect(run.ending).toEqual({ ended: 'finished' })
    expect(report).toMatchObject({ outcome: 'blocked' })
    expect(survivorsOf(place.home)).toEqual([])
  })

  it('is judged by its exit code, not by its words about limits and money', async () => {
    const spoke = await runProgram('speaks-of-limits.mjs')
    expect(spoke.run.ending).toEqual({ ended: 'finished' })
    expect(spoke.report).toMatchObject({ outcome: 'blocked' })
    expect((await runProgram('speaks-of-limits.mjs', '3')).run.ending).toEqual(
      failed('crashed', /^exit code 3\n/),
    )
  })

  it('may spoil its task file: the run ends as it would have', async () => {
    const { run, place } = await runProgram('spoils-task.mjs')
    expect(run.ending).toEqual({ ended: 'finished' })
    expect(readdirSync(join(place.home, 'tasks'))).toEqual([])
  })
})

describe('a recorded program', () => {
  it('is replayed with every change that a patch can hold', async () => {
    const place = makePlace()
    const folder = join(place.folder, 'recordings')
    const recorded = place.workspace()
    const run = await recordRuns(programAgent(place, 'rebuilds.mjs'), folder).run(ask(fixerTask(recorded)))
    expect(run.ending).toEqual({ ended: 'finished' })
    const workspace = place.workspace()
    const replayed = await createReplayAgent({ name: 'replay', folder }).run(ask(fixerTask(workspace)))
    expect(replayed).toEqual({ ...run, text: run.text.replace(recorded, workspace) })
    expect(patchableIn(workspace)).toEqual(patchableIn(recorded))
  })

  it('has failed when it changed more than can be recorded', async () => {
    const place = makePlace()
    const folder = join(place.folder, 'recordings')
    const run = await recordRuns(programAgent(place, 'writes-megabytes.mjs'), folder).run(
      ask(fixerTask(place.workspace())),
    )
    expect(run.ending).toEqual(failed('malformed', /cannot be recorded: it changed 65 MB/))
    const replayed = await createReplayAgent({ name: 'replay', folder }).run(
      ask(fixerTask(place.workspace())),
    )
    expect(replayed.ending).toEqual(failed('malformed', /no recording of fixer BE-001, round 1/))
  })
})

/** Modes and contents of all files, without times, git's own files and installed packages. */
const patchableIn = (root: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(snapshotOf(root))
      .filter(([path]) => !/^(\.git|node_modules)\//.test(path))
      .map(([path, seen]) => [path, seen.split(' ').slice(0, 2).join(' ')]),
  )
