import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { defineAgent, type AgentDefinition } from '../../src/adapters/agents/definition/definition.ts'
import { composeConfig } from '../../src/app/config/compose-config.ts'
import { withOwnAgents } from '../../src/adapters/agents/index.ts'
import type { CommandContext, RunCommand } from '../../src/cli/command/context.ts'
import { runAgents as showAgents } from '../../src/cli/commands/setup/agents.ts'
import { runConfig as showConfig } from '../../src/cli/commands/setup/config.ts'
import { runDoctor as examine } from '../../src/cli/commands/setup/doctor.ts'
import { runFix as fix } from '../../src/cli/commands/sessions/fix.ts'
import { runImport as importReport } from '../../src/cli/commands/issues/import.ts'
import { runReview as review } from '../../src/cli/commands/issues/review.ts'
import { runInit as writeConfig } from '../../src/cli/commands/setup/init.ts'
import { noPowers, type Agent } from '../../src/loop/ports.ts'
import { makeRepository, type FixtureFile, type FixtureRepository } from '../fixtures/repositories.ts'

const repositories: FixtureRepository[] = []
afterEach(() => {
  for (const repository of repositories.splice(0)) repository.dispose()
})

const sum = 'export const add = (a, b) => a - b\n'

/** An agent that fixes the one mistake that it knows, and accepts every patch. */
const houseAgent: Agent = {
  name: 'house',
  family: 'home-made',
  can: noPowers,
  async run({ task }) {
    const { code = '', file } = task.issues[0] ?? {}
    if (task.role === 'fixer') writeFileSync(join(task.workspace, 'src/sum.mjs'), sum.replace('-', '+'))
    const report = {
      outcome: 'fixed',
      files_modified: [file],
      changes_summary: 'adds',
      explanation: 'so it is',
    }
    const scores = { correctness: 100, safety: 100, minimality: 100, style_consistency: 100 }
    const answer = task.role === 'fixer' ? report : { feedback: 'fine', quality_scores: scores }
    return {
      agent: 'house',
      model: null,
      ending: { ended: 'finished' },
      text: JSON.stringify({ issues: { [code]: answer } }),
      tokens: 1,
      cost_usd: 0,
      conversation_id: null,
      duration_ms: 1,
    }
  },
}

/** The same agent as a vendor's program that only this definition knows. */
const houseCli: AgentDefinition = {
  ...defineAgent(houseAgent),
  title: 'House agent',
  takes: ['model', 'max_turns'],
  ranks: { fixer: 0, challenger: 0, reviewers: 0 },
  cli: {
    program: 'house',
    install: 'brew install house',
    testedVersion: '1.2.3',
    variables: [],
    login: { how: 'set HOUSE_KEY', variables: ['HOUSE_KEY'], place: 'none', files: () => [] },
  },
}

const verify = 'verify: { commands: [{ name: test, run: "true" }] }\n'

function open(agents: readonly AgentDefinition[], files: Readonly<Record<string, FixtureFile>>) {
  const repository = makeRepository({ 'src/sum.mjs': sum, ...files })
  repositories.push(repository)
  const { root, folder } = repository
  repository.write({ '../bin/house': { program: '#!/bin/sh\necho house 1.2.3\n' } })
  const said: string[] = []
  const env = {
    ...repository.env,
    PATH: `${join(folder, 'bin')}:${repository.env['PATH'] ?? ''}`,
    HOUSE_KEY: 'k',
    FIXPOINT_HOME: repository.home,
  }
  return {
    root,
    folder,
    git: repository.git,
    said,
    async run<Options>(command: RunCommand<Options>, options: Options) {
      const results: Readonly<Record<string, unknown>>[] = []
      const output: CommandContext['output'] = {
        mode: 'json',
        isInteractive: false,
        reveal: () => undefined,
        print: () => undefined,
        result: (value) => results.push(value),
        event: () => undefined,
        say: (text) => said.push(text),
        paint: (_style, text) => text,
      }
      const exitCode = await command({ cwd: root, env, output, agents, version: '1.0.0' }, options)
      return { exitCode, result: results[0] ?? {} }
    },
  }
}

const finding = {
  file: 'src/sum.mjs',
  line: 1,
  title: 'it subtracts',
  issue: 'it subtracts',
  severity: 'major',
  rule: 'r',
}

async function importFinding(place: ReturnType<typeof open>): Promise<void> {
  const file = join(place.folder, 'findings.json')
  writeFileSync(file, JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'scan', findings: [finding] }))
  await place.run(importReport, { file })
}

test.each([
  ['an agent that is passed in', defineAgent(houseAgent)],
  ['a kind that only its definition knows', houseCli],
])('%s fixes and challenges under its own name', async (_, definition) => {
  const place = open([definition], {
    'fixpoint.yaml': `${verify}agents: { fixer: house, challenger: house, reviewers: [house] }\n`,
  })
  await importFinding(place)
  const { exitCode, result } = await place.run(fix, { codes: [], all: true, yes: true, maxPasses: '3' })
  expect({ exitCode, result, said: place.said }).toMatchObject({ exitCode: 0, result: { issues_fixed: 1 } })
  const branch = place.git('for-each-ref', '--format=%(refname)', 'refs/heads/fix')
  expect(place.git('show', `${branch}:src/sum.mjs`)).toBe(sum.replace('-', '+').trim())
  expect(place.git('log', '-1', '--format=%B', branch)).toContain('house')
})

test('a kind that only its definition knows is listed, examined and shown in the configuration', async () => {
  const place = open([houseCli], {
    'fixpoint.yaml': `${verify}agents: { fixer: { use: house, model: m1 } }\n`,
  })
  const { result: listed } = await place.run(showAgents, {})
  expect(listed).toMatchObject({
    agents: expect.arrayContaining([
      expect.objectContaining({
        name: 'house',
        title: 'House agent',
        version: '1.2.3',
        login: 'HOUSE_KEY',
        hint: null,
      }),
    ]),
    roles: expect.arrayContaining([
      expect.objectContaining({ role: 'fixer', use: 'house', model: 'm1', available: true }),
    ]),
  })
  const { result: examined } = await place.run(examine, {})
  expect(examined).toMatchObject({
    checks: expect.arrayContaining([
      expect.objectContaining({ name: 'agent_fixer', status: 'ok', message: 'house' }),
    ]),
  })
  const { result: configured } = await place.run(showConfig, {})
  expect(configured).toMatchObject({
    settings: expect.arrayContaining([
      expect.objectContaining({ key: 'agents.fixer', source: 'repository' }),
    ]),
  })
})

test('a kind that is installed and logged in is suggested, and works when nobody is chosen', async () => {
  const place = open([houseCli], {})
  await place.run(writeConfig, {})
  const text = readFileSync(join(place.root, 'fixpoint.yaml'), 'utf8')
  expect(text).toContain('those of claude, gemini, codex and house')
  expect(text).toContain('#   fixer: house')
  const { result } = await place.run(showAgents, {})
  expect(result).toMatchObject({
    roles: expect.arrayContaining([expect.objectContaining({ role: 'fixer', use: 'house' })]),
  })
})

test.each([
  ['{ fixer: hous }', 'did you mean house?'],
  ['{ fixer: { use: house, run: x } }', 'house takes no "run"; acp, command and replay do'],
  ['{ fixer: { use: rules, max_turns: 3 } }', 'rules takes no "max_turns"; claude, gemini and house do'],
  ['{ house: { use: claude }, fixer: house }', 'this is the name of a built-in agent'],
])('agents: %s is refused in words that know the kind', (agents, message) => {
  const repository = { name: 'fixpoint.yaml', text: `agents: ${agents}` }
  const inputs = { repository, user: null, env: {}, flags: [], kinds: withOwnAgents([houseCli]) }
  expect(() => composeConfig(inputs)).toThrow(message)
})

test('an own agent does not take the name of a built-in one', () => {
  expect(() => withOwnAgents([{ ...houseCli, kind: 'claude' }])).toThrow(/agent named "claude" already/)
})

test.each([
  ['speaks ACP', '{ use: acp, run: "touch ran" }'],
  ['is a program', '{ use: command, run: "touch ran" }'],
  ['has arguments of the repository', '{ use: house, args: [--danger] }'],
  ['sees variables that the repository names', '{ use: house, env: [TOKEN] }'],
])('a review asks for trust before it starts a reviewer that %s', async (_, reviewer) => {
  const agents = [{ ...houseCli, takes: ['args', 'env'] as const }]
  const place = open(agents, { 'fixpoint.yaml': `agents: { reviewers: [${reviewer}] }\n` })
  await expect(place.run(review, { paths: [] })).rejects.toMatchObject({ code: 'not_trusted' })
})
