import { afterEach, describe, expect, it } from 'vitest'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { SessionId } from '../../src/model/id.ts'
import { commandLineOf } from '../fixtures/command-line.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const files = Object.fromEntries(names.map((name) => [`src/${name}.mjs`, 'export const value = 1\n']))
const fix = "edit(issue.file, '= 1', '= 2'); return {}"
const never = { stopStarting: new AbortController().signal, endNow: new AbortController().signal }
/** An agent that reports a failure itself. It reached its model, so its run does not count as waiting. */
const failsWith = (failure: string): string =>
  `console.log(JSON.stringify({ usage: { tokens: 1 }, failure: ${failure} })); process.exit(1)`

async function open(fixer: string, options: Partial<ProjectOptions> = {}): Promise<Project> {
  project = await makeProject({
    files,
    fixer,
    verify: 'true',
    ...options,
    config: `land: { min_evidence: E1 }\n${options.config ?? 'fix: { concurrency: 1 }'}`,
  })
  await project.import(names.map((name) => ({ file: `src/${name}.mjs`, line: 1, title: name, rule: name })))
  return project
}
const pays = (usd: number, body: string): string =>
  `console.log(JSON.stringify({ usage: { tokens: 1000, cost_usd: ${usd} }, issues: { [issue.code]: { outcome: 'fixed', files_modified: [], changes_summary: '', explanation: '' } } })); ${body}; return null`

/** A challenger that agrees, and costs the given amount. */
const paidVerdict = (usd: number): string =>
  `console.log(JSON.stringify({ usage: { tokens: 100, cost_usd: ${usd} }, issues: { [issue.code]: { feedback: 'fine', quality_scores: { correctness: 95, safety: 95, minimality: 95, style_consistency: 95 } } } })); return null`

describe('money', () => {
  it('used up stops after the running step; what is proven lands, the rest waits for a larger budget', async () => {
    const p = await open(pays(1, "edit(issue.file, '= 1', '= 2')"), {
      config: 'fix: { concurrency: 1, budget_usd: 4 }',
    })
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(4)
    expect(outcome.result).toMatchObject({ status: 'parked', resumable: true })
    const fixed = outcome.result.issues_fixed
    expect(fixed).toBeGreaterThanOrEqual(1)
    expect(fixed).toBeLessThan(names.length)
    expect(outcome.result.results.filter(({ outcome: end }) => end === 'over_budget').length).toBe(
      names.length - fixed,
    )
    expect(p.events.at(-1)).toMatchObject({ type: 'fix_session_parked' })
    const resumed = await resumeSession(p.app, outcome.result.session_id, { ...never, budgetUsd: 100 })
    expect(resumed.exitCode).toBe(0)
    expect(resumed.result).toMatchObject({ issues_fixed: names.length, cost_usd: names.length })
  })

  it('that is little lands something, instead of beginning everything and finishing nothing', async () => {
    const p = await open(pays(1.5, "edit(issue.file, '= 1', '= 2')"), {
      challenger: paidVerdict(0.5),
      config: 'fix: { concurrency: 4, budget_usd: 5 }',
    })
    const { exitCode, result } = await p.fix()
    expect(exitCode).toBe(4)
    expect(result.issues_fixed).toBe(2)
    expect(result.cost_usd).toBe(4)
    expect(result.reason).toContain('$1.00 of $5.00 left, and another fix costs about $2.00')
  })

  it('is counted for a run that was stopped when its time was over', async () => {
    const p = await open(
      'console.log(JSON.stringify({ usage: { tokens: 1000, cost_usd: 2 } })); setInterval(() => {}, 1000); await new Promise(() => {})',
      { fixerTimeout: '10s', config: 'fix: { concurrency: 1, budget_usd: 3 }' },
    )
    const { result } = await p.fix()
    expect(result.results[0]).toMatchObject({ outcome: 'failed', rounds: [{ agent: { ended: 'timeout' } }] })
    expect(result.cost_usd).toBe(2)
  })

  it('used up by a single run lets no other begin, not even one that was only waiting for its turn', async () => {
    const p = await open(pays(50, "edit(issue.file, '= 1', '= 2')"), {
      config: 'fix: { concurrency: 1, budget_usd: 4 }',
    })
    const { result } = await p.fix()
    expect(p.seen().filter(({ role }) => role === 'fixer')).toHaveLength(1)
    expect(result).toMatchObject({ status: 'parked', cost_usd: 50 })
  })

  it('is counted for every run, also for those that failed and those that were tried again', async () => {
    const marked = "new URL('./' + issue.file.replaceAll('/', '-'), import.meta.url).pathname"
    const usage = 'usage: { tokens: 1000, cost_usd: 1 }'
    const p = await open(
      `const flag = ${marked}; if (!fs.existsSync(flag)) { fs.writeFileSync(flag, ''); console.log(JSON.stringify({ ${usage}, failure: { kind: 'rate_limited', reset_at: new Date().toISOString() } })); process.exit(1) } if (task.round === 1) { console.log(JSON.stringify({ ${usage} })); process.exit(1) } ${pays(1, "edit(issue.file, '= 1', '= 2')")}`,
      { config: 'fix: { concurrency: 2 }' },
    )
    const { result } = await p.fix()
    expect(result).toMatchObject({ issues_fixed: names.length, cost_usd: 3 * names.length })
    expect(result.results.map(({ rounds }) => rounds.map((round) => round.cost_usd))).toEqual(
      names.map(() => [2, 1]),
    )
  })

  it('is counted where the work was given up, and still is when the session goes on', async () => {
    const gone = "{ kind: 'quota', message: 'used up', reset_at: '2999-01-01T00:00:00Z' }"
    const p = await open(
      `console.log(JSON.stringify({ usage: { tokens: 1000, cost_usd: 3 }, failure: ${gone} })); process.exit(1)`,
      { config: 'fix: { concurrency: 1, budget_usd: 5 }' },
    )
    const { result } = await p.fix()
    expect(result).toMatchObject({ status: 'parked', cost_usd: 3, tokens: 1000 })
    const again = await resumeSession(p.app, result.session_id, never)
    expect(again.result).toMatchObject({ status: 'parked', cost_usd: 6, tokens: 2000 })
    const last = await resumeSession(p.app, result.session_id, never)
    expect(last.result.reason).toContain('the session has used $6.00 of its $5.00')
    expect(p.seen()).toHaveLength(2)
  })

  it('that a killed process had used is counted when the session goes on, and never twice', async () => {
    const gone = "{ kind: 'quota', message: 'used up', reset_at: '2999-01-01T00:00:00Z' }"
    const p = await open(
      `console.log(JSON.stringify({ usage: { tokens: 1000, cost_usd: 3 }, failure: ${gone} })); process.exit(1)`,
    )
    const { result } = await p.fix()
    const { artifacts } = await p.app.ports()
    const id = SessionId.parse(result.session_id)
    const written = async () => JSON.parse((await artifacts.read(id, 'spent.json')) ?? 'null') as unknown
    await expect.poll(written, { timeout: 200_000 }).toEqual({ usd: 3, tokens: 1000 })
    // A process that is killed while its agent has used two dollars leaves this file.
    await artifacts.write(id, 'spent.json', '{"usd":5,"tokens":1500}')
    const again = await resumeSession(p.app, result.session_id, never)
    expect(again.result).toMatchObject({ cost_usd: 8, tokens: 2500 })
    const last = await resumeSession(p.app, result.session_id, never)
    expect(last.result).toMatchObject({ cost_usd: 11, tokens: 3500 })
  })

  it('used up by one issue ends that issue only', async () => {
    const body =
      "if (issue.file === 'src/a.mjs') fs.appendFileSync(issue.file, 'syntax error ' + task.round); else edit(issue.file, '= 1', '= 2')"
    const p = await open(pays(1, body), {
      // The command does not name the file, because a file that a check names may not be changed.
      verify: 'node --check "$(ls src/*.mjs | head -1)"',
      config: 'fix: { concurrency: 1, issue_budget_usd: 1.5, max_rounds: 4 }',
    })
    const { result } = await p.fix()
    expect(result.results.find(({ file }) => file === 'src/a.mjs')).toMatchObject({ outcome: 'over_budget' })
    expect(result.issues_fixed).toBe(names.length - 1)
  })
})

describe('a provider', () => {
  it('without credit ends the session, with nothing lost', async () => {
    const p = await open(
      `if (issue.file !== 'src/a.mjs') { ${failsWith("{ kind: 'billing', message: 'no credit' }")} } ${fix}`,
    )
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(4)
    expect(outcome.result).toMatchObject({ resumable: false, reason: expect.stringContaining('no credit') })
    const { issues_fixed: fixed } = outcome.result
    expect(outcome.result.status).toBe(fixed === 0 ? 'failed' : 'partial')
    const types = p.events.map(({ type }) => type)
    expect(types.filter((type) => type === 'fix_billing_error')).toHaveLength(1)
    expect(types.at(-1)).toBe('fix_session_error')
    const open_ = await p.app.store.issues.list({
      repositoryId: p.app.repository.id,
      status: ['open'],
      limit: 50,
    })
    expect(open_.issues).toHaveLength(names.length - fixed)
  })

  it('out of quota parks the session until the time it names', async () => {
    const until = '2999-01-01T00:00:00Z'
    const p = await open(failsWith(`{ kind: 'quota', message: 'used up', reset_at: '${until}' }`))
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(4)
    expect(outcome.result).toMatchObject({ status: 'parked', resumable: true })
    expect(outcome.result.reason).toContain('used up')
    expect(p.events.at(-1)).toMatchObject({ type: 'fix_session_parked', details: { halt: { until } } })
    expect(p.seen().length).toBe(1)
  })

  it('that limits the rate is asked again when it said', async () => {
    const wait = "{ kind: 'rate_limited', reset_at: new Date(Date.now() + 300).toISOString() }"
    const p = await open(
      `const mark = '${'$'}{process.env.FIXPOINT_TASK}' && issue.file.replaceAll('/', '-'); const flag = new URL('./' + mark, import.meta.url).pathname; if (!fs.existsSync(flag)) { fs.writeFileSync(flag, ''); ${failsWith(wait)} } ${fix}`,
    )
    const outcome = await p.fix()
    expect(outcome.result).toMatchObject({ issues_fixed: names.length })
    expect(outcome.result.results.every(({ rounds }) => rounds.length === 1)).toBe(true)
  })

  it('that lets nobody through is waited for in sight, as long as patience lasts; then it is exit 75, not quota', async () => {
    const p = await open(failsWith("{ kind: 'overloaded', message: '503 from the gateway' }"), {
      config: 'fix: { concurrency: 1, patience: 3s }',
    })
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(75)
    expect(outcome.result).toMatchObject({ status: 'parked', resumable: true })
    expect(outcome.result.reason).toContain('overloaded: command: 503 from the gateway')
    const waits = p.events.filter(({ type }) => type === 'fix_agent_waiting')
    expect(waits).toMatchObject([
      {
        seq: expect.any(Number),
        issue_code: expect.stringMatching(/^BE-/),
        message: expect.stringMatching(
          /^command waits until \d\d:\d\d:\d\dZ \(2 s\), its service is overloaded: 503 from the gateway, given up at/,
        ),
        details: { agent: 'command', kind: 'overloaded', until: expect.any(String) },
      },
    ])
    expect(p.events.at(-1)?.details).toMatchObject({
      halt: { kind: 'overloaded', until: expect.any(String) },
    })
    expect(p.seen()).toHaveLength(2)
  })

  it('is said to be waited for in the output of the command', async () => {
    const p = await open(failsWith("{ kind: 'rate_limited', message: 'slow down' }"), {
      config: 'fix: { concurrency: 1, patience: 3s }',
    })
    const ran = commandLineOf(p)('fix', 'BE-001', '--yes')
    expect(ran.exitCode, ran.stderr).toBe(75)
    expect(ran.stderr).toMatch(
      /BE-001: agent waiting: command waits until \S+ \(2 s\), its rate is limited: slow down/,
    )
  })

  it.each([
    ['model_not_found', 3, 'model_not_found: command: no such thing'],
    ['tools_unavailable', 3, 'tools_unavailable: command: no such thing'],
  ])(
    'that will fail everybody alike with %s is asked once, and the session waits for a person',
    async (kind, exit, reason) => {
      const p = await open(failsWith(`{ kind: '${kind}', message: 'no such thing' }`))
      const outcome = await p.fix()
      expect(outcome.exitCode).toBe(exit)
      expect(outcome.result).toMatchObject({ status: 'parked', resumable: true })
      expect(outcome.result.reason).toContain(reason)
      expect(p.seen()).toHaveLength(1)
    },
  )

  it('whose model cannot take the prompt fails that issue in its first round', async () => {
    const long = failsWith("{ kind: 'too_long', message: 'prompt is too long' }")
    const p = await open(`if (issue.file === 'src/a.mjs') { ${long} } ${fix}`)
    const { result } = await p.fix()
    expect(result.issues_fixed).toBe(names.length - 1)
    expect(result.results.find(({ file }) => file === 'src/a.mjs')).toMatchObject({
      outcome: 'failed',
      reason: 'prompt is too long',
      rounds: [{ agent: { ended: 'too_long' } }],
    })
  })

  it('words about limits in what an agent says change nothing', async () => {
    const p = await open(
      `console.log('rate limit exceeded, credit balance is too low, billing, quota'); ${fix}`,
    )
    expect((await p.fix()).result).toMatchObject({ issues_fixed: names.length })
  })

  it('whose agent fails the same way for everything opens the circuit breaker', async () => {
    const p = await open('process.exit(9)', { config: 'fix: { concurrency: 1, max_rounds: 1 }' })
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(3)
    expect(outcome.result.reason).toContain('5 issues in a row')
    expect(p.seen().length).toBeLessThanOrEqual(6)
  })
})

describe('a reviewer', () => {
  it('that limits the rate is waited for in sight; one whose model does not exist is asked once', async () => {
    const limited = failsWith(
      "{ kind: 'rate_limited', message: 'slow down', reset_at: new Date(Date.now() + 1500).toISOString() }",
    )
    const p = await open(fix, {
      reviewers: [
        `const flag = new URL('./was-limited', import.meta.url).pathname; if (!fs.existsSync(flag)) { fs.writeFileSync(flag, ''); ${limited} } console.log(JSON.stringify({ groups: [], coverage: { reviewed: task.review.paths, partly: [], skipped: [] } })); return null`,
        failsWith("{ kind: 'model_not_found', message: 'no such model' }"),
      ],
    })
    const { stderr } = commandLineOf(p)('review', '--yes')
    expect(stderr).toMatch(
      /^reviewer-1 waits until \S+ \(\d s\), its rate is limited: slow down, given up at /m,
    )
    expect(stderr).toContain('reviewer-1: complete')
    expect(stderr).toContain('reviewer-2: failed, 0 findings, 0 files read; model_not_found: no such model')
    expect(p.reviewed()).toHaveLength(3)
  })
})
