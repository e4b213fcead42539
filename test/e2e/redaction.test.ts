import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { madeUp } from '../../src/adapters/secrets/made-up-secrets.ts'
import { answerQuestions } from '../../src/app/prepare/clarify-issues.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { commandLineOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { startTestServer } from '../fixtures/server.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const never = { stopStarting: new AbortController().signal, endNow: new AbortController().signal }

const places = [
  'code',
  'title',
  'description',
  'rule',
  'suggestion',
  'command',
  'notes',
  'answer',
  'explanation',
  'failure',
  'output',
  'testName',
] as const
type Place = (typeof places)[number]

/** One token for each place, so that a leak shows its source. */
const token = Object.fromEntries(
  places.map((place, index) => [place, `ghp_${madeUp('x'.repeat(index + 1), 36).slice(index + 1)}`]),
) as Record<Place, string>
const password = `hunter${madeUp('', 6, '23456789')}`
const secrets = [...Object.entries(token), ['password', password]] as const

/** The names of the secrets that a text holds, except for those that it may hold. */
const leaksIn = (text: string, allowed: readonly string[] = []): readonly string[] =>
  secrets.filter(([name, secret]) => !allowed.includes(name) && text.includes(secret)).map(([name]) => name)

const head =
  "import test from 'node:test'\nimport assert from 'node:assert/strict'\nimport { add } from '../src/a.mjs'\n"
const files = {
  'src/a.mjs': `const password = "${password}"\nconst key = '${token.code}'\nexport const add = (a, b) => a - b\nexport const login = [password, key]\n`,
  'test/a.test.mjs': `${head}test('adds ${token.testName}', () => { console.log('${token.output}'); assert.equal(add(0, 0), 0) })\n`,
}
const reproduction = `${head}test('adds two numbers', () => assert.equal(add(1, 2), 3))\n`

const fixer = `
if (task.role === 'clarifier') {
  const isAsked = task.clarifications[issue.code].length === 0
  console.log(JSON.stringify(isAsked
    ? { ready_to_fix: false, questions: [{ issue_code: issue.code, question: 'Which?', context: 'why', options: [], assumption: 'none' }] }
    : { ready_to_fix: true, questions: [] }))
  return null
}
console.log('working with ${token.explanation}')
if (task.round === 1) { console.error('${token.failure}'); edit('src/a.mjs', 'a - b', 'a - b - 0 * ' + task.round); }
else edit('src/a.mjs', /a - b.*/, 'a + b')
return { explanation: 'the key ${token.explanation} is as it was', changes_summary: '${token.explanation}' }`

const reproducer = `
fs.writeFileSync('test/be-001.test.mjs', ${JSON.stringify(reproduction)})
return { outcome: 'reproduced', explanation: '${token.explanation}' }`

const challenger = `
const score = task.diff.includes('a + b') ? 95 : 20
return { feedback: 'saw ${token.explanation}', quality_scores: { correctness: score, safety: score, minimality: score, style_consistency: score }, improvements_needed: [] }`

interface FixedProject extends Project {
  readonly sessionId: string
  readonly branch: string
}

async function fixed(config: string): Promise<FixedProject> {
  const p = (project = await makeProject({
    files,
    fixer,
    challenger,
    ...(config.includes('reproduce') && { reproducer }),
    verify: `KEY=${token.command} node --test --test-isolation=none`,
    config: `fix: { max_rounds: 3, clarify: ask, ${config}`,
  }))
  await p.import([
    {
      file: 'src/a.mjs',
      line: 3,
      end_line: 4,
      title: `add is wrong ${token.title}`,
      description: `seen with ${token.description}`,
      rule: `no/${token.rule}`,
      suggestion: `use ${token.suggestion}`,
      severity: 'major',
    },
  ])
  const first = await p.fix({ notes: `mind ${token.notes}` })
  expect(first.result.status).toBe('awaiting_clarification')
  await answerQuestions(p.app, new Map([['BE-001-q1', `this one: ${token.answer}`]]))
  const { result } = await resumeSession(p.app, first.result.session_id, never)
  expect(result).toMatchObject({ status: 'completed', issues_fixed: 1 })
  expect(leaksIn(JSON.stringify(result))).toEqual([])
  return { ...p, sessionId: result.session_id, branch: result.branch_name ?? '' }
}

/** Working trees and git's own objects hold the code as it is. */
const holdsCode = /^(?:workspaces|idle|pool|repositories)\//

function leaksUnder(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    return holdsCode.test(name) ? [] : leaksIn(readFileSync(path, 'latin1')).map((leak) => `${name}: ${leak}`)
  })
}

describe.each([
  ['isolated', 'strategy: isolated }'],
  ['sequential', 'strategy: sequential }'],
  ['single-call', 'strategy: single-call }'],
  ['isolated, with a reproduction', 'strategy: isolated }\nevidence: { reproduce: auto }'],
])('the strategy %s', (_name, config) => {
  it('lets no secret out to agents, rows, files, events and commits', async () => {
    const p = await fixed(config)
    expect(p.seen().flatMap((seen) => leaksIn(JSON.stringify(seen)))).toEqual([])
    expect(p.seen().at(-1)?.prompt).toContain('[redacted: github token]')
    expect(leaksIn(JSON.stringify(p.events))).toEqual([])
    expect(leaksUnder(p.home)).toEqual([])
    const commits = p.git('log', '--format=%B%N', '--notes=refs/notes/fixpoint', `main..${p.branch}`)
    expect(commits).toContain('fixpoint.evidence.v1')
    expect(leaksIn(commits)).toEqual([])
  })
})

const reproducing = 'strategy: isolated }\nevidence: { reproduce: true }'

it('prints no secret, whatever the command line is asked for', async () => {
  const p = await fixed(reproducing)
  const fixpoint = commandLineOf(p)
  const asked = [
    ['sessions', 'show', p.sessionId, '--json'],
    ['sessions', 'log', p.sessionId, '--jsonl'],
    ['sessions', 'report', p.sessionId],
    ['sessions', 'report', p.sessionId, '--json'],
    ['issues', 'list', '--status', 'resolved', '--json'],
    ['issues', 'show', 'BE-001'],
    ['issues', 'show', 'BE-001', '--json'],
    ['config'],
    ['config', '--json'],
    ...['sarif', 'json', 'markdown', 'junit', 'github', 'rdjson'].map((format) => [
      'export',
      format,
      '--status',
      'resolved',
    ]),
  ]
  for (const args of asked) {
    const { stdout, stderr, exitCode } = fixpoint(...args)
    expect({ args, exitCode, leaks: leaksIn(stdout + stderr) }).toEqual({ args, exitCode: 0, leaks: [] })
  }
})

it('lets no secret out through the server, its answers and its log', async () => {
  const p = await fixed(reproducing)
  const server = await startTestServer({ ...p, args: ['--log-level', 'debug'] })
  try {
    const repository = p.app.repository.id
    const paths = [
      `/api/sessions/${p.sessionId}`,
      `/api/sessions/${p.sessionId}/report`,
      `/api/sessions/${p.sessionId}/attempts`,
      `/api/sessions/${p.sessionId}/diff`,
      `/api/issues?repository_id=${repository}`,
      `/api/config?repository_id=${repository}`,
      `/api/doctor?repository_id=${repository}`,
      `/api/agents?repository_id=${repository}`,
      `/api/sessions/${p.sessionId}/${token.notes}`,
    ]
    for (const path of paths) expect([path, leaksIn((await server.ask(path)).text)]).toEqual([path, []])
    expect(leaksIn(server.log())).toEqual([])
  } finally {
    await server.end()
  }
})
