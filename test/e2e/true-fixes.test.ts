import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { FixOutcome } from '../../src/app/fix/stored-session.ts'
import { envOf, fixpointIn } from '../fixtures/command-line.ts'
import { makeProject, oneProcess, type Project, type ProjectOptions } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
const loads = "import { price, label } from '../src/price.mjs'\n"
const source = "export const price = (net) => net * 1.2\nexport const label = () => 'net'\n"
const fix = "edit('src/price.mjs', '1.2', '1.19');"
const finding = {
  file: 'src/price.mjs',
  line: 1,
  title: 'the rate is wrong',
  severity: 'major',
  rule: 'rate',
}

async function open(options: ProjectOptions): Promise<Project> {
  project = await makeProject({ verify: oneProcess, ...options })
  await project.import([finding])
  fixpointIn(project.root, envOf(project), ['trust', '--yes'])
  return project
}
const endOf = ({ result }: FixOutcome) => {
  const [issue] = result.results
  if (!issue) throw new Error('there is no result')
  return issue
}
const secondPrompt = (p: Project): string =>
  p.seen().find(({ role, round }) => role === 'fixer' && round === 2)?.prompt ?? ''

describe('a fix that must change what an old test expects', () => {
  const files = {
    'src/price.mjs': source,
    'test/rates.mjs': 'export const expected = 120\n',
    'test/price.test.mjs': `${head}${loads}import { expected } from './rates.mjs'\ntest('adds the rate', () => assert.equal(price(100), expected))\n`,
  }
  const both = `${fix} edit('test/rates.mjs', '120', '119')`

  async function landApproved(p: Project, id: string): Promise<readonly string[]> {
    expect(fixpointIn(p.root, envOf(p), ['approve', id])).toMatchObject({ exitCode: 0 })
    const resumed = fixpointIn(p.root, envOf(p), ['resume', id, '--json'])
    expect(resumed).toMatchObject({ exitCode: 0 })
    const { results } = JSON.parse(resumed.stdout) as FixOutcome['result']
    expect(results).toMatchObject([{ outcome: 'fixed' }])
    return p.git('show', '--name-only', '--format=', results[0]?.commit_sha ?? '').split('\n')
  }

  it('is held with the tests named, and lands once a person approved them on the command line', async () => {
    const p = await open({ files, fixer: `${both}; return {}` })
    const outcome = await p.fix()
    expect(secondPrompt(p)).toContain('test/rates.mjs expect something else now')
    expect(secondPrompt(p)).toContain('Where a test expects what the finding calls wrong, correct it')
    expect(outcome.exitCode).toBe(5)
    expect(endOf(outcome)).toMatchObject({ outcome: 'held', commit_sha: null })
    expect(endOf(outcome).reason).toMatch(/test\/rates\.mjs expect something else now/)
    const id = outcome.result.session_id
    const shown = fixpointIn(p.root, envOf(p), ['sessions', 'show', id]).stdout
    expect(shown).toContain('test/rates.mjs expect something else now')
    expect(shown).toContain(`Decide: fixpoint approve ${id}`)
    expect(await landApproved(p, id)).toEqual(['src/price.mjs', 'test/rates.mjs'])
  })

  it('is held at once where the assertion itself is another one', async () => {
    const plain = `${head}${loads}test('adds the rate', () => assert.equal(price(100), 120))\n`
    const p = await open({
      files: { 'src/price.mjs': source, 'test/price.test.mjs': plain },
      fixer: `${fix} edit('test/price.test.mjs', '100), 120', '100), 119'); return {}`,
    })
    const outcome = await p.fix()
    expect(p.seen().filter(({ role }) => role === 'fixer')).toHaveLength(1)
    expect(endOf(outcome).reason).toMatch(/test\/price\.test\.mjs:\d+ an assertion was changed/)
    expect(await landApproved(p, outcome.result.session_id)).toEqual(['src/price.mjs', 'test/price.test.mjs'])
  })

  it('goes back without the changed tests when the person rejects it, and the fixer reads why', async () => {
    const p = await open({
      files,
      fixer: `if (task.round < 3) { ${both} } else fs.copyFileSync('test/rates.mjs', import.meta.dirname + '/third.mjs'); return {}`,
    })
    const { result } = await p.fix()
    const reject = ['reject', result.session_id, '--reason', 'THE-OLD-RATE-HOLDS']
    expect(fixpointIn(p.root, envOf(p), reject)).toMatchObject({ exitCode: 0 })
    fixpointIn(p.root, envOf(p), ['resume', result.session_id, '--json'])
    const third = p.seen().find(({ role, round }) => role === 'fixer' && round === 3)
    expect(third?.prompt).toContain('THE-OLD-RATE-HOLDS')
    expect(readFileSync(join(p.folder, 'third.mjs'), 'utf8')).toBe(files['test/rates.mjs'])
  })

  it('whose fixer leaves the test alone is told that it may correct it', async () => {
    const p = await open({ files, fixer: `if (task.round === 1) { ${fix} } else { ${both} } return {}` })
    const outcome = await p.fix()
    expect(secondPrompt(p)).toMatch(/Where a test expects what the finding calls wrong, correct it/)
    expect(endOf(outcome)).toMatchObject({ outcome: 'held' })
  })

  it('is refused as before when its own tests are red as well', async () => {
    const p = await open({
      files,
      fixer: `${fix} edit('test/rates.mjs', '120', '118'); return {}`,
      config: 'fix: { max_rounds: 1 }',
    })
    expect(endOf(await p.fix())).toMatchObject({ outcome: 'refused' })
  })
})

describe('a new test that may skip itself', () => {
  const files = {
    'src/price.mjs': source,
    'test/label.test.mjs': `${head}${loads}test('has a label', () => assert.equal(label(), 'net'))\n`,
  }
  const adds = (skip: string): string =>
    `${fix} fs.writeFileSync('test/rate.test.mjs', ${JSON.stringify(`${head}${loads}test('the rate is right', { skip: ${skip} }, () => assert.equal(price(100), 119))\n`)}); return {}`

  it('proves the fix when it ran in the verification', async () => {
    const p = await open({ files, fixer: adds("process.platform === 'none'") })
    expect(endOf(await p.fix())).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
  })

  it('waits for a person when it did not run, with its name', async () => {
    const p = await open({ files, fixer: adds("process.platform !== 'none'") })
    const outcome = await p.fix()
    expect(outcome.exitCode).toBe(5)
    expect(endOf(outcome)).toMatchObject({ outcome: 'held' })
    expect(endOf(outcome).reason).toMatch(
      /new tests did not run in the verification: test\/rate\.test\.mjs:\d+ “the rate is right”/,
    )
  })
})

it('a fixer that renames a test reads that it must keep the name', async () => {
  const files = {
    'src/price.mjs': source,
    'test/price.test.mjs': `${head}${loads}test('has a label', () => assert.equal(label(), 'net'))\n`,
  }
  const p = await open({
    files,
    fixer: `if (task.round === 1) { ${fix} edit('test/price.test.mjs', 'has a label', 'says what it is') } else edit('test/price.test.mjs', 'says what it is', 'has a label'); return {}`,
  })
  const outcome = await p.fix()
  expect(endOf(outcome)).toMatchObject({ outcome: 'fixed' })
  expect(endOf(outcome).rounds[0]?.refusal).toMatch(/no longer run: has a label\. Keep the name/)
  expect(secondPrompt(p)).toContain('Keep the name of each test that was there')
  expect(secondPrompt(p)).toContain('says what it is')
})

describe('an unrelated red test beside the tests of the finding’s file', () => {
  const other = "test('an unrelated sum', () => assert.equal(1 + 1, 3))\n"
  const files = {
    'src/price.mjs': source,
    'test/price.test.mjs': `${head}${loads}${other}test('has a label', () => assert.equal(label(), 'net'))\n`,
  }
  const proving = `${head}${loads}test('the rate is right', () => assert.equal(price(100), 119))\n`

  it('does not refuse a fix that its own test proves', async () => {
    const p = await open({
      files,
      fixer: `${fix} fs.writeFileSync('test/rate.test.mjs', ${JSON.stringify(proving)}); return {}`,
    })
    expect(endOf(await p.fix())).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
  })

  it('does not refuse a fix that turned another red test of the file green, also where tests prove no more than E1', async () => {
    const red = `test('the rate', () => assert.equal(price(100), 119))\n`
    const p = await open({
      files: {
        ...files,
        // No test can be planted in this file, because its tests are started by an unknown name.
        'test/price.test.mjs':
          `${files['test/price.test.mjs']}${red}function check(...given) { return [test][0](...given) }\n`.replaceAll(
            "test('",
            "check('",
          ),
        'scripts/verify.mjs': "await import('../test/price.test.mjs')\n",
      },
      fixer: `${fix} return {}`,
      verify: 'node scripts/verify.mjs',
    })
    expect(endOf(await p.fix())).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
  })

  it('goes back to the fixer once, and then waits for a person, where nothing proves the fix', async () => {
    const p = await open({ files, fixer: `${fix} return {}` })
    const outcome = await p.fix()
    expect(secondPrompt(p)).toContain('as red as before: an unrelated sum')
    expect(outcome.exitCode).toBe(5)
    expect(endOf(outcome)).toMatchObject({ outcome: 'held' })
    const id = outcome.result.session_id
    expect(fixpointIn(p.root, envOf(p), ['approve', id])).toMatchObject({ exitCode: 0 })
    const resumed = fixpointIn(p.root, envOf(p), ['resume', id, '--json'])
    expect(resumed).toMatchObject({ exitCode: 0 })
    expect((JSON.parse(resumed.stdout) as FixOutcome['result']).results).toMatchObject([
      { outcome: 'fixed', evidence: 'E1' },
    ])
  })
})
