import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { survivorsOf } from '../contracts/agent-suite.ts'
import type { Step } from '../fixtures/model-servers/scenario.ts'
import { claude } from '../fixtures/real-agents/claude.ts'
import { codex } from '../fixtures/real-agents/codex.ts'
import { gemini } from '../fixtures/real-agents/gemini.ts'
import {
  about,
  broken,
  codeOf,
  entryOf,
  fileOf,
  filesOf,
  fixing,
  review,
  right,
  wrong,
  type Result,
} from '../fixtures/real-agents/issues.ts'
import { openInTest } from '../fixtures/real-agents/project.ts'
import type { Vendor } from '../fixtures/real-agents/vendor.ts'

/** Several real CLIs run one after another, on a busy machine. */
const longMs = 150_000

const names = ['a', 'b', 'c']
const code = (name: string): string => codeOf(names, name)
/** The instruction of a fixer with one issue. */
const instructions = 'fix exactly one problem'
const isMain = /master_todo\.json/
/** The pattern begins with `^`, or it would be tried at every place of a long text. */
const isMainAnswered = new RegExp(
  `^${['master_todo', ...names.map((name) => `SUB-ANSWER-${name}`)].map((text) => `(?=[^]*${text})`).join('')}`,
)

describe.each([claude, codex])('single-call with $name', { timeout: longMs }, (vendor) => {
  const sub = (name: string, steps: readonly Step[]): readonly Step[] =>
    [...steps, vendor.conclude(`SUB-ANSWER-${name}`)].map((step) => ({
      ...step,
      when: new RegExp(`SUB-TASK-${name}`),
      unless: isMain,
    }))

  it('gives every issue to a sub-agent of its own, and goes on alone with the one that was refused', async () => {
    const entries = { a: entryOf('a'), b: entryOf('b'), c: entryOf('c', 'blocked') }
    const issues = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [code(name), entry]))
    const alone = fixing(vendor, { name: 'b', code: code('b'), from: wrong(1) })
    const project = await openInTest({
      files: filesOf(names),
      fixer: {
        vendor,
        steps: [
          { ...vendor.answer({ issues }), when: isMainAnswered },
          { ...vendor.delegate(names.map((name) => `SUB-TASK-${name}`)), when: isMain },
          ...(vendor.collect ? [{ ...vendor.collect, when: isMain, repeat: true as const }] : []),
          ...sub('a', vendor.edit(fileOf('a'), broken, right)),
          ...sub('b', vendor.edit(fileOf('b'), broken, wrong(1))),
          ...sub('c', []),
          ...about('b', alone).map((step) => ({ ...step, unless: isMain })),
        ],
      },
      config: 'fix: { strategy: single-call }',
    })
    const { repository } = project
    await review(project)
    const ran = await project.run('fix', '--all', '--yes', '--json')
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(1)
    const { branch_name, results } = ran.json<Result>()
    expect(results).toMatchObject([
      { issue_code: code('a'), outcome: 'fixed', rounds: [{}] },
      { issue_code: code('b'), outcome: 'fixed', rounds: [{ verification: { status: 'failed' } }, {}] },
      { issue_code: code('c'), outcome: 'blocked', commit_sha: null },
    ])
    expect(repository.git('rev-list', '--count', `main..${branch_name}`)).toBe('2')
    for (const name of ['a', 'b'])
      expect(repository.git('show', `${branch_name}:${fileOf(name)}`)).toContain(right)
    const { requests } = project.serverOf(vendor)
    const started = requests.filter(({ raw }) => /SUB-TASK/.test(raw) && !isMain.test(raw))
    const tasks = new Set(started.flatMap(({ raw }) => /SUB-TASK-\w/.exec(raw) ?? []))
    expect(tasks.size).toBe(names.length)
    for (const { raw } of started) expect(raw).toContain(instructions)
    // A round for one issue does not continue the conversation about all issues.
    const second = requests.at(-alone.length)?.raw
    expect(second).toContain('1 is not missing in b')
    expect(second).not.toMatch(/SUB-ANSWER|master_todo/)
    expect(survivorsOf(repository.home)).toEqual([])
  })
})

/** The Gemini CLI as an unknown agent that speaks ACP: Fixpoint does not know how to give such an agent sub-agents. */
const overAcp: Vendor = {
  ...gemini,
  name: 'acp',
  agent: () => `{ use: acp, run: gemini --acp --skip-trust -m gemini-2.5-pro, env: [${acpVariables}] }`,
  env: (server) => ({ ...gemini.env(server), GEMINI_CLI_NO_RELAUNCH: 'true' }),
}
const acpVariables = 'GEMINI_API_KEY, GOOGLE_GEMINI_BASE_URL, GEMINI_CLI_NO_RELAUNCH, NODE_COMPILE_CACHE'

describe('single-call with an agent that has no sub-agents', { timeout: longMs }, () => {
  it('fixes every issue in the one call, which tells how one of them is fixed', async () => {
    const edits = names.flatMap((name) => overAcp.edit(fileOf(name), broken, right))
    const issues = Object.fromEntries(names.map((name) => [code(name), entryOf(name)]))
    const project = await openInTest({
      files: filesOf(names),
      fixer: { vendor: overAcp, steps: [...edits, overAcp.answer({ issues })] },
      config: 'fix: { strategy: single-call }',
    })
    const login = join(project.repository.env['HOME'] ?? '', '.gemini')
    mkdirSync(login)
    writeFileSync(
      join(login, 'settings.json'),
      JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    )
    await review(project)
    const ran = await project.run('fix', '--all', '--yes', '--json')
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
    const landed = { outcome: 'fixed', rounds: [{ agent: { name: 'acp' } }] }
    expect(ran.json<Result>().results).toMatchObject(names.map(() => landed))
    const [first] = project.serverOf(overAcp).requests
    expect(first?.raw).toMatch(isMain)
    expect(first?.raw).toContain(instructions)
    expect(survivorsOf(project.repository.home)).toEqual([])
  })
})
