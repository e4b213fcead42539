import { afterEach, describe, expect, it } from 'vitest'
import { answerApproval } from '../../src/app/fix/answer-approval.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import type { FixOutcome } from '../../src/app/fix/stored-session.ts'
import { makeProject, oneProcess, type Project, type ProjectOptions } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
const files = {
  'src/a.mjs': 'export const add = (a, b) => a - b\n',
  'test/a.test.mjs': `${head}import { add } from '../src/a.mjs'
test('adds nothing', () => assert.equal(add(0, 0), 0))
test('gives a number', () => assert.equal(typeof add(1, 2), 'number'))
`,
}
const newTest = `${head}import { add } from '../src/a.mjs'\ntest('adds', () => assert.equal(add(1, 2), 3))\n`
const fix = "edit('src/a.mjs', 'a - b', 'a + b');"
const finding = { file: 'src/a.mjs', line: 1, title: 'add is wrong', severity: 'major', rule: 'a' }

async function fixWith(fixer: string, options: Partial<ProjectOptions> = {}) {
  project = await makeProject({
    files,
    verify: oneProcess,
    fixer: `${fixer}; return {}`,
    config: 'fix: { max_rounds: 1 }',
    ...options,
  })
  await project.import([finding])
  const outcome = await project.fix()
  return { project, outcome, issue: issueOf(outcome) }
}
function issueOf({ result }: FixOutcome) {
  const [issue] = result.results
  if (!issue) throw new Error('there is no result')
  return issue
}
const lastRound = (issue: ReturnType<typeof issueOf>) => issue.rounds.at(-1)
const write = (path: string, text: string) =>
  `fs.writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)});`
const noteOf = (p: Project, sha: string | null): unknown =>
  JSON.parse(p.git('notes', '--ref=fixpoint', 'show', sha ?? ''))

/** A base on which one test is red. */
const red = { ...files, 'test/b.test.mjs': newTest }

describe('evidence E3', () => {
  it('is a test that the fix brings: red without its source hunks, green with them', async () => {
    const { project: p, issue } = await fixWith(`${fix} ${write('test/new.test.mjs', newTest)}`)
    expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
    const proof = {
      source: 'added',
      command: 'test',
      tests: ['adds'],
      red_tree: expect.any(String),
      green_tree: p.git('rev-parse', `${issue.commit_sha ?? ''}^{tree}`),
      excerpt: expect.stringContaining('AssertionError'),
    }
    expect(lastRound(issue)?.verification).toMatchObject({ proof, restored: null })
    expect(noteOf(p, issue.commit_sha)).toMatchObject({ evidence: 'E3', proof })
    expect(p.git('log', '-1', '--format=%B', issue.commit_sha ?? '')).toContain('Evidence: E3')
  })

  it('is a test that was red before the fix', async () => {
    const { project: p, issue } = await fixWith(fix, { files: red })
    expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
    expect(lastRound(issue)?.verification?.proof).toMatchObject({
      source: 'existing',
      tests: ['adds'],
      red_tree: p.git('rev-parse', 'HEAD^{tree}'),
    })
  })

  it.each([
    ['a test that passes without the fix too', `${head}test('adds', () => assert.ok(true))\n`],
    [
      'a test file that cannot be loaded without the fix',
      `${head}import { sum } from '../src/a.mjs'\ntest('adds', () => assert.equal(sum(1, 2), 3))\n`,
    ],
  ])('is not %s', async (_name, text) => {
    const also = "edit('src/a.mjs', 'export', 'export const sum = (a, b) => a + b\\nexport');"
    const { issue } = await fixWith(`${fix} ${also} ${write('test/new.test.mjs', text)}`)
    expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
  })

  it('is asked for by land.min_evidence', async () => {
    const config = 'fix: { max_rounds: 1 }\nland: { min_evidence: E3 }'
    expect((await fixWith(fix, { config })).issue).toMatchObject({
      outcome: 'refused',
      reason: 'evidence E1 is below land.min_evidence E3',
    })
  })
})

describe('a patch that edits existing tests', () => {
  const more = "edit('test/a.test.mjs', /$/, \"test('adds', () => assert.equal(add(1, 2), 3))\\n\");"

  it('is verified with the base’s tests and with its own, and what was verified is committed', async () => {
    const { project: p, issue } = await fixWith(`${fix} ${more}`)
    expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
    const tree = p.git('rev-parse', `${issue.commit_sha ?? ''}^{tree}`)
    const verification = lastRound(issue)?.verification
    expect(verification).toMatchObject({ tree, restored: { paths: ['test/a.test.mjs'] } })
    expect(verification?.restored?.tree).not.toBe(tree)
    expect(p.git('show', `${issue.commit_sha ?? ''}:test/a.test.mjs`)).toContain("test('adds'")
  })

  it('is refused when only its own version of them is green, and the fixer reads why', async () => {
    const renamed = "edit('src/a.mjs', 'add', 'sum'); edit('test/a.test.mjs', '{ add }', '{ sum as add }')"
    const { project: p, issue } = await fixWith(`if (task.round === 1) { ${renamed} }`, {
      config: 'fix: { max_rounds: 2 }',
    })
    expect(issue.rounds[0]?.refusal).toContain("with the base's own test/a.test.mjs: test: exit 1")
    expect(p.seen().find(({ round }) => round === 2)?.prompt).toContain(
      "does not provide an export named 'add'",
    )
  })
})

describe('a test that a person lets go', () => {
  it('is not missed afterwards, alone and on the way to the branch', async () => {
    const both = `${head}import { add } from '../src/a.mjs'\ntest('subtracts', () => assert.equal(add(3, 1), 2))\n`
    const { project: p, outcome } = await fixWith(`${fix} fs.rmSync('test/b.test.mjs')`, {
      files: { ...files, 'test/b.test.mjs': both },
    })
    expect(outcome.exitCode).toBe(5)
    const sessionId = outcome.result.session_id
    await answerApproval(p.app, { sessionId, codes: [], answer: { approve: true } })
    const signal = new AbortController().signal
    const resumed = await resumeSession(p.app, sessionId, { stopStarting: signal, endNow: signal })
    expect(issueOf(resumed)).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
  })
})

describe('a base that is partly red', () => {
  const elsewhere = { ...files, 'test/c.test.mjs': `${head}test('is red', () => assert.equal(1, 2))\n` }

  it('takes a fix that breaks nothing new, and says so', async () => {
    const { issue } = await fixWith("edit('src/a.mjs', '\\n', '; export const better = true\\n')", {
      files: elsewhere,
    })
    expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
    expect(JSON.stringify(issue.rounds)).toContain('red as on the base, no new failure (1 known)')
  })

  it('does not take one that leaves all red tests of the finding’s own file red, and the fixer reads which', async () => {
    const { project: p, issue } = await fixWith("edit('src/a.mjs', 'a - b', `a - b + 0 * ${task.round}`)", {
      files: { ...elsewhere, ...red },
      config: 'fix: { max_rounds: 2 }',
    })
    expect(issue).toMatchObject({ outcome: 'held', commit_sha: null })
    expect(issue.rounds[0]?.refusal).toBe(
      "verification: tests of the finding's own file are as red as before: adds",
    )
    expect(p.seen().find(({ round }) => round === 2)?.prompt).toContain('as red as before: adds')
  })

  it('sees that such tests are red also through a barrel, and where their titles are put together', async () => {
    const barrel = {
      ...files,
      'src/index.mjs': "export { add } from './a.mjs'\n",
      'test/sums.test.mjs': `${head}import { add } from '../src/index.mjs'\nfor (const n of [2, 3]) test(\`adds \${n}\`, () => assert.equal(add(n, n), n + n))\n`,
    }
    const { issue } = await fixWith("edit('src/a.mjs', 'a - b', 'a - b + 0')", {
      files: barrel,
      config: 'fix: { max_rounds: 1 }',
    })
    expect(issue).toMatchObject({ outcome: 'held', commit_sha: null })
    expect(issue.reason).toContain("tests of the finding's own file are as red as before: adds 2, adds 3")
  })

  it('excuses nobody because other issues are in the same file, or in files that the same red tests load', async () => {
    const p = (project = await makeProject({
      verify: oneProcess,
      files: {
        ...red,
        'src/b.mjs': 'export const twice = (n) => n\n',
        'src/index.mjs': "export * from './a.mjs'\nexport * from './b.mjs'\n",
        'test/all.test.mjs': `${head}import { twice } from '../src/index.mjs'\ntest('twice', () => assert.equal(twice(2), 4))\n`,
      },
      fixer: `fs.appendFileSync(issue.file, 'export const seen' + issue.line + ' = true\\n'); return {}`,
      config: 'fix: { max_rounds: 1 }',
    }))
    const further = { ...finding, line: 2, title: 'nothing is said of negative numbers', rule: 'b' }
    await p.import([finding, further, { ...finding, file: 'src/b.mjs', title: 'twice is wrong' }])
    const { result } = await p.fix()
    // The second issue of the file waits for the first.
    expect(result.results.map(({ outcome }) => outcome)).toEqual(['held', 'held', null])
  })

  it('does not take one that breaks another test', async () => {
    const { issue } = await fixWith("edit('src/a.mjs', 'a - b', '`${a}${b}`')", { files: red })
    expect(issue).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('new failures: ') })
  })

  it('does not let one fix break again what another made green', async () => {
    const both = `${head}import { add } from '../src/a.mjs'\nimport { one } from '../src/b.mjs'
test('adds one', () => assert.equal(add(1, one), 2))\n`
    const p = (project = await makeProject({
      verify: oneProcess,
      files: {
        ...files,
        'src/b.mjs': 'export const one = 1\n',
        'test/b.test.mjs': `${head}import { one } from '../src/b.mjs'\ntest('is two', () => assert.equal(one, 2))\n`,
        'test/both.test.mjs': both,
      },
      fixer: `if (issue.file === 'src/a.mjs') ${fix} else edit('src/b.mjs', '= 1', '= 2'); return {}`,
      config: 'fix: { max_rounds: 1 }',
    }))
    await p.import([finding, { ...finding, file: 'src/b.mjs', title: 'b is wrong', rule: 'b' }])
    const { result } = await p.fix()
    expect(result.results).toMatchObject([
      { outcome: 'fixed', evidence: 'E3' },
      {
        outcome: 'refused',
        // Timing decides whether the first fix is the base of this one or lands before it.
        reason: expect.stringMatching(
          /tests that prove a fix are red|green on the base|red together with what landed/,
        ),
      },
    ])
  })
})

describe('tests that get lost', () => {
  const exit = (text: string) => `${fix} fs.appendFileSync('src/a.mjs', ${JSON.stringify(text)});`
  /** An exit that readers of the patch do not see. */
  const hidden = 'Object.entries(process).find(([key]) => /^ex.t$/.test(key))[1](0)\n'
  /** Runs each file in a process of its own, as is usual: the runner outlives the exit. */
  const verify = 'node --test'

  it('by an exit on import are noticed', async () => {
    const { issue } = await fixWith(exit(hidden), { verify })
    expect(issue).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining(
        'tests that ran on the base no longer run: adds nothing, gives a number',
      ),
    })
  })

  it.each([
    ['TAP', 'TAP version 13\\n1..2\\nok 1 - adds nothing\\nok 2 - gives a number'],
    [
      'the runner’s own',
      '✔ adds nothing (1ms)\\n✔ gives a number (1ms)\\nℹ tests 2\\nℹ suites 0\\nℹ pass 2\\nℹ fail 0\\nℹ cancelled 0',
    ],
  ])('are not replaced by forged results in %s format', async (_name, forged) => {
    const { issue } = await fixWith(exit(`console.log('${forged}')\n${hidden}`), { verify })
    expect(issue).toMatchObject({
      outcome: 'not_evaluated',
      reason: expect.stringContaining('which tests ran cannot be told'),
    })
  })
})

describe('a flaky command', () => {
  /** The two runs of a command share a checkout, so a file in it tells them apart. */
  const flips = (passesFirst: string) => `${head}import fs from 'node:fs'
test('flips', () => {
  const isFirst = !fs.existsSync('been-here')
  fs.writeFileSync('been-here', '')
  assert.equal(isFirst, ${passesFirst})
})
`

  it('is left out where the same test flips on the base, and that is said', async () => {
    const onBase = "fs.readFileSync('src/a.mjs', 'utf8').includes('a - b')"
    const { issue } = await fixWith(fix, { files: { ...files, 'test/flips.test.mjs': flips(onBase) } })
    expect(issue).toMatchObject({ outcome: 'fixed' })
    expect(JSON.stringify(issue.rounds)).toContain('left out, flaky on the base too: flips')
  })

  it('is not evaluated where the base is steady', async () => {
    const { issue } = await fixWith(`${fix} ${write('test/flips.test.mjs', flips('false'))}`)
    expect(issue).toMatchObject({
      outcome: 'not_evaluated',
      reason: expect.stringContaining('flips, but not on the base'),
    })
  })
})

describe('a base that hangs', () => {
  const hangs = {
    // The loop sleeps, because a busy loop would slow the other tests down.
    'src/a.mjs':
      'const cell = new Int32Array(new SharedArrayBuffer(4))\nexport const wait = (done) => { while (done) Atomics.wait(cell, 0, 0, 50) }\n',
    'run.mjs': `import { wait } from './src/a.mjs'
import fs from 'node:fs'
fs.writeSync(1, 'TAP version 13\\nok 1 - starts\\n')
wait(true)
fs.writeSync(1, 'ok 2 - waits\\n1..2\\n')
`,
  }
  const options = { files: hangs, verify: 'exec node run.mjs', verifyTimeout: '5s' }

  it('takes a fix that cures it, when what had passed there passes here', async () => {
    const { issue } = await fixWith("edit('src/a.mjs', 'while', 'if')", options)
    expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
    expect(JSON.stringify(issue.rounds)).toContain(
      'the base hung; here 2 tests pass, with all 1 that had passed there',
    )
  })

  it('proves nothing for a fix that hangs as well', async () => {
    const { issue } = await fixWith("edit('src/a.mjs', '\\n', '; export const better = true\\n')", options)
    expect(issue).toMatchObject({ outcome: 'not_evaluated', commit_sha: null })
  })
})

it('what is shared with a workspace is part of every result: a base that was red without it proves nothing later', async () => {
  project = await makeProject({
    verify: oneProcess,
    files: {
      ...files,
      '.gitignore': 'deps/\n',
      'test/deps.test.mjs': `import test from 'node:test'
test('needs what is installed', async () => { await import('../deps/one.mjs') })
`,
    },
    fixer:
      "fs.appendFileSync('src/a.mjs', 'export const ' + issue.title.split(' ')[0] + ' = 1\\n'); return {}",
    config: 'workspace: { share: [deps] }\nfix: { max_rounds: 1 }',
  })
  await project.import([{ file: 'src/a.mjs', line: 1, title: 'a is wrong', rule: 'a' }])
  await project.fix()
  project.write({ 'deps/one.mjs': 'export const one = 1\n' })
  await project.import([{ file: 'src/a.mjs', line: 1, title: 'another problem', rule: 'b' }])
  const { result } = await project.fix()
  expect(result.results[0]).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
  expect(result.results[0]?.rounds[0]?.verification?.proof ?? null).toBeNull()
})

describe('a runner that nobody reads', () => {
  const own = {
    'src/a.mjs': 'export const add = (a, b) => a - b\n',
    'check.mjs':
      "import { add } from './src/a.mjs'\nconst ok = [add(0, 0) === 0, add(1, 2) === 3].filter(Boolean).length\nconsole.log(`2 checks, ${ok} ok`)\nprocess.exitCode = ok === 2 ? 0 : 1\n",
  }
  const verify = 'node check.mjs'

  it('takes a fix after which its summary is green', async () => {
    const { issue } = await fixWith(fix, { files: own, verify })
    expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
  })

  it('takes no exit 0 without the summary of the base', async () => {
    const hidden =
      'fs.appendFileSync(\'src/a.mjs\', "Object.entries(process).find(([key]) => /^ex.t$/.test(key))[1](0)\\n")'
    const { issue } = await fixWith(hidden, { files: own, verify })
    expect(issue).toMatchObject({
      outcome: 'not_evaluated',
      reason: expect.stringContaining('exit 0 alone proves nothing'),
    })
  })
})

it('takes a fix that lets the second of two commands run', async () => {
  const more = `${head}test('is second', () => {})\n`
  const { issue } = await fixWith(fix, {
    files: { ...red, 'test/second.mjs': more },
    verify: 'node --test test/b.test.mjs && node --test test/second.mjs',
  })
  // The planted test replaces one that the list names, so the results of the tests count.
  expect(issue).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
})
