import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { openFixpoint, type Fixpoint, type FixpointOptions, type OwnAgent } from '../../src/index.ts'
import { makeRepository, type FixtureRepository } from '../fixtures/repositories.ts'

const opened: Fixpoint[] = []
const repositories: FixtureRepository[] = []
afterEach(async () => {
  for (const fixpoint of opened.splice(0)) await fixpoint.close()
  for (const repository of repositories.splice(0)) repository.dispose()
})

const sum = 'export const add = (a, b) => a - b\n'
const commands = [{ name: 'test', run: 'true' }]
const report = JSON.stringify({
  schema: 'fixpoint.findings.v1',
  source: 'scan',
  findings: [{ file: 'sum.mjs', line: 1, title: 'it subtracts', severity: 'major', rule: 'r' }],
})

const house: OwnAgent = {
  async run({ task }) {
    const { code = '', file } = task.issues[0] ?? {}
    writeFileSync(join(task.workspace, 'sum.mjs'), sum.replace('-', '+'))
    const answer = {
      outcome: 'fixed',
      files_modified: [file],
      changes_summary: 'adds',
      explanation: 'it must',
    }
    return { text: JSON.stringify({ issues: { [code]: answer } }) }
  },
}

/** An agent that sleeps until it is aborted, or works if it was woken before; `asleep` resolves when it sleeps. */
function makeSleeper() {
  const doors = new EventTarget()
  let isAwake = false
  const agent: OwnAgent = {
    async run(request) {
      doors.dispatchEvent(new Event('asleep'))
      if (isAwake) return house.run(request)
      await once(request.signal, 'abort')
      throw new Error('it was woken')
    },
  }
  return { agent, asleep: once(doors, 'asleep'), wake: () => (isAwake = true) }
}

function place(files: Readonly<Record<string, string>> = {}): FixtureRepository {
  const repository = makeRepository({ 'sum.mjs': sum, ...files })
  repositories.push(repository)
  return repository
}

async function open(
  repository: FixtureRepository,
  options: Partial<FixpointOptions> = {},
): Promise<Fixpoint> {
  const fixpoint = await openFixpoint({
    cwd: repository.root,
    home: repository.home,
    env: repository.env,
    agents: { house },
    config: { verify: { commands }, agents: { fixer: 'house' }, challenge: { enabled: false } },
    ...options,
  })
  opened.push(fixpoint)
  return fixpoint
}

describe('a session', () => {
  test('has the issues that the choice is narrowed to, and no more of them than were asked for', async () => {
    const fixpoint = await open(place({ 'other.mjs': sum }))
    const { findings } = JSON.parse(report) as { findings: readonly object[] }
    const all = ['sum.mjs', 'other.mjs', 'sum.mjs'].map((file, index) => ({
      ...findings[0],
      file,
      title: `problem ${index}`,
      rule: `r${index}`,
    }))
    await fixpoint.importReport({ text: JSON.stringify({ ...JSON.parse(report), findings: all }) })
    const { results } = await fixpoint.fix({ all: true, narrowing: { path: 'sum.mjs' }, limit: 1 })
    expect(results.map(({ file }) => file)).toEqual(['sum.mjs'])
  })

  test('is planned, run, told of and verified again', async () => {
    const repository = place()
    const fixpoint = await open(repository)
    const events: string[] = []
    const forget = fixpoint.on(({ type }) => events.push(type))
    expect(await fixpoint.importReport({ text: report })).toMatchObject({ findings: 1, created: 1 })
    const [issue] = await fixpoint.issues({ status: ['open'] })
    expect(issue).toMatchObject({ code: 'BE-001', title: 'it subtracts', status: 'open' })
    const planned = await fixpoint.plan({ all: true })
    expect(planned.plan.execution_steps.flatMap(({ issues }) => issues.map(({ code }) => code))).toEqual([
      'BE-001',
    ])

    const result = await fixpoint.fix({ codes: ['be-001'], branch: 'fix/it' })
    expect(result).toMatchObject({
      status: 'completed',
      issues_fixed: 1,
      branch_name: 'fix/it',
      resumable: false,
    })
    expect(repository.git('show', 'fix/it:sum.mjs')).toBe(sum.replace('-', '+').trim())
    expect([events[0], events.at(-1)]).toEqual(['fix_session_started', 'fix_session_completed'])
    expect(await fixpoint.issues({ status: ['resolved'] })).toHaveLength(1)

    forget()
    const told = events.length
    expect(await fixpoint.verify(['fix/it'])).toMatchObject([{ issue_code: 'BE-001', status: 'confirmed' }])
    expect(await fixpoint.cancel(result.session_id), 'one that is over stays as it is').toEqual(result)
    expect(events).toHaveLength(told)
  })

  test('that is aborted stops at once, and is resumed', async () => {
    const { agent, asleep, wake } = makeSleeper()
    const fixpoint = await open(place(), { agents: { house: agent } })
    await fixpoint.importReport({ text: report })
    const caller = new AbortController()
    const running = fixpoint.fix({ all: true, signal: caller.signal })
    await asleep
    caller.abort()
    const stopped = await running
    expect(stopped).toMatchObject({ issues_fixed: 0, resumable: true })
    wake()
    expect(await fixpoint.resume(stopped.session_id)).toMatchObject({
      session_id: stopped.session_id,
      status: 'completed',
      issues_fixed: 1,
    })
  })

  test('that is cancelled ends for good, and its issues are open again', async () => {
    const { agent, asleep } = makeSleeper()
    const fixpoint = await open(place(), { agents: { house: agent } })
    await fixpoint.importReport({ text: report })
    const ids: string[] = []
    fixpoint.on(({ session_id }) => ids.push(session_id))
    const running = fixpoint.fix({ all: true })
    await asleep
    const ended = await fixpoint.cancel(ids[0] ?? '')
    expect(ended).toMatchObject({ status: 'cancelled', resumable: false })
    expect(await running).toMatchObject({ status: 'cancelled' })
    expect(await fixpoint.issues({ status: ['open'] })).toHaveLength(1)
  })

  test('is stopped when all is closed, and can be resumed by the next', async () => {
    const { agent, asleep } = makeSleeper()
    const repository = place()
    const fixpoint = await open(repository, { agents: { house: agent } })
    await fixpoint.importReport({ text: report })
    const running = fixpoint.fix({ all: true })
    await asleep
    await Promise.all([fixpoint.close(), fixpoint.close()])
    const { session_id, resumable } = await running
    expect(resumable).toBe(true)
    await expect(fixpoint.issues()).rejects.toMatchObject({ code: 'usage', name: 'Fault' })
    expect(await (await open(repository)).resume(session_id)).toMatchObject({ issues_fixed: 1 })
  })

  test('does not end with a listener that throws; its error is one of the program', () => {
    const repository = place()
    const program = `
      import { openFixpoint } from ${JSON.stringify(join(import.meta.dirname, '../../src/index.ts'))}
      const errors = new Set()
      process.on('uncaughtException', ({ message }) => errors.add(message))
      const config = { verify: { commands: ${JSON.stringify(commands)} }, agents: { fixer: 'rules', challenger: 'rules', reviewers: ['rules'] } }
      const fixpoint = await openFixpoint({ cwd: process.cwd(), config })
      fixpoint.on(() => { throw new Error('mine') })
      await fixpoint.review()
      const { issues_fixed } = await fixpoint.fix({ all: true })
      await fixpoint.close()
      console.log(issues_fixed, ...errors)
    `
    repository.write({ 'price.mjs': 'export const isUnknown = (price) => price === NaN\n' })
    repository.git('add', '-A')
    repository.git('commit', '-qm', 'more')
    const args = ['--input-type=module-typescript', '-e', program]
    const env = { ...repository.env, FIXPOINT_HOME: repository.home }
    const output = execFileSync(process.execPath, args, { cwd: repository.root, env, encoding: 'utf8' })
    expect(output.trim()).toBe('1 mine')
  })
})

describe('commands of the repository', () => {
  const files = { 'fixpoint.yaml': 'verify: { commands: [{ name: test, run: "true" }] }\n' }
  const config = { agents: { fixer: 'house', reviewers: ['rules'] }, challenge: { enabled: false } }

  test('run only where the program says that they may', async () => {
    const repository = place(files)
    const careful = await open(repository, { config })
    await careful.review()
    await careful.importReport({ text: report })
    const fault = { name: 'Fault', code: 'not_trusted', details: { commands: [{ run: 'true' }] } }
    await expect(careful.fix({ all: true })).rejects.toMatchObject(fault)
    await expect(careful.verify(['HEAD'])).rejects.toMatchObject({ code: 'usage' })
    const trusting = await open(repository, { config, trust: true })
    expect(await trusting.fix({ all: true })).toMatchObject({ issues_fixed: 1 })
    await expect(careful.fix({ all: true }), 'it is not remembered').rejects.toMatchObject(fault)
  })
})

describe('a mistake is a fault with a code', () => {
  const repository = place
  test.each<[string, Partial<FixpointOptions>, string, RegExp]>([
    ['a folder without a repository', { cwd: '/' }, 'not_a_repository', /./],
    [
      'an agent nobody knows',
      { config: { agents: { fixer: 'hose' } } },
      'config_invalid',
      /did you mean house/,
    ],
    ['a setting nobody knows', { config: { fix: { rounds: 1 } } as object }, 'config_invalid', /fix\.rounds/],
    ['an agent with the name of another', { agents: { claude: house } }, 'usage', /"claude" already/],
  ])('%s', async (_, options, code, message) => {
    const failing = open(repository(), options)
    await expect(failing).rejects.toMatchObject({
      name: 'Fault',
      code,
      message: expect.stringMatching(message),
    })
  })

  test('issues that are not named, are not there, or were given up before the call are each refused with a code', async () => {
    const fixpoint = await open(repository())
    await expect(fixpoint.fix({})).rejects.toMatchObject({ code: 'usage' })
    await expect(fixpoint.fix({ codes: ['BE-404'] })).rejects.toMatchObject({ code: 'not_found' })
    const late = { all: true, signal: AbortSignal.abort() }
    await expect(fixpoint.fix(late)).rejects.toMatchObject({ code: 'usage' })
    await expect(fixpoint.resume('ses_none')).rejects.toMatchObject({ code: 'not_found' })
  })
})
