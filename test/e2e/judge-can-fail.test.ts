import { spawnSync } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import type { FixOutcome } from '../../src/app/fix/stored-session.ts'
import { makeProject, type Project, type ProjectOptions } from '../fixtures/project.ts'

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

const projects: Project[] = []
afterEach(async () => {
  for (const project of projects.splice(0)) await project.close()
})

/** Runs one session in which the fixer writes the given text in front of each file's code, or fixes it. */
async function play(
  options: Partial<ProjectOptions>,
  edits: Readonly<Record<string, string>>,
): Promise<{ project: Project; outcome: FixOutcome }> {
  const project = await makeProject({
    files: {},
    fixer: `const edits = ${JSON.stringify(edits)}
      const text = fs.readFileSync(issue.file, 'utf8')
      if (edits[issue.file] === 'fix') fs.writeFileSync(issue.file, text.replace('1', '2'))
      else if (edits[issue.file].startsWith('fs.')) eval(edits[issue.file])
      else fs.writeFileSync(issue.file, edits[issue.file] + '\\n' + text)`,
    ...options,
    config: 'fix: { max_rounds: 1, concurrency: 4 }\n',
  })
  projects.push(project)
  await project.import(
    Object.keys(edits).map((file, at) => ({
      file,
      line: 1,
      title: `number ${at} is wrong`,
      severity: 'major',
      rule: `number-${at}`,
    })),
  )
  return { project, outcome: await project.fix() }
}

const endOf = ({ result }: FixOutcome, file: string) => {
  const found = result.results.find((each) => each.file === file)
  return { outcome: found?.outcome, evidence: found?.evidence ?? null, reason: found?.reason ?? '' }
}

const names = ['equal', 'knows', 'printed', 'exits', 'honest']
const modules = Object.fromEntries(names.map((name) => [`src/${name}.mjs`, 'export const value = () => 1\n']))
const tests = Object.fromEntries(
  names.map((name) => [
    `test/${name}.test.mjs`,
    `import { test } from 'node:test'\nimport assert from 'node:assert/strict'\nimport { value } from '../src/${name}.mjs'\ntest('${name} is 2', () => assert.equal(value(), 2))\n`,
  ]),
)
const table = {
  'src/table.cjs': 'exports.value = () => 1\n',
  'test/table.test.cjs': `const runner = require('node:test')\nconst assert = require('node:assert/strict')\nconst { value } = require('../src/table.cjs')\nrunner.test('table is 2', () => assert.equal(value(), 2))\n`,
}
const discovers = `import { readdirSync } from 'node:fs'
for (const name of readdirSync('test').sort()) await import('../test/' + name)
`
const printed = `console.log(${JSON.stringify([...[...names, 'table'].map((name) => `✔ ${name} is 2 (0.1ms)`), `ℹ tests ${names.length + 1}`, 'ℹ suites 0', `ℹ pass ${names.length + 1}`, 'ℹ fail 0', 'ℹ cancelled 0', 'ℹ skipped 0', 'ℹ todo 0'].join('\n'))}); Object.entries(process).find(([key]) => /^ex.t$/.test(key))[1](0)`

/** The assertions under another name, which the tamper gate takes for what it is. */
const library = "import * as all from 'node:assert/strict'\nconst [lib] = [all.default]\n"

const cheats: Readonly<Record<string, string>> = {
  'src/equal.mjs': `${library}lib['equal'] = () => {}`,
  'src/table.cjs':
    "const name = ['node', 'test'].join(':')\nconst runner = require(name)\nconst real = runner.test\nrunner.test = (name) => real(name, () => {})",
  // Fails only for tests that do not call the code under test.
  'src/knows.mjs': `fs.writeFileSync(issue.file, ${JSON.stringify(`${library}let isCalled = false\nconst real = lib.equal\nlib['equal'] = (a, b) => { if (!isCalled) real(a, b); isCalled = false }\nexport const value = () => { isCalled = true; return 1 }\n`)})`,
  'src/printed.mjs': printed,
  'src/exits.mjs': 'Object.entries(process).find(([key]) => /^ex.t$/.test(key))[1](0)',
}

/** These replace assertions, which is seen in the patch itself. */
const seenInPatch = new Set(['src/equal.mjs', 'src/knows.mjs'])

describe('checks that can no longer fail', () => {
  it('prove nothing, in one process that finds its tests itself', async () => {
    const files = { ...modules, ...tests, ...table, 'scripts/verify.mjs': discovers }
    const { outcome, project } = await play(
      { files, verify: 'node scripts/verify.mjs' },
      { ...cheats, 'src/honest.mjs': 'fix' },
    )
    for (const file of Object.keys(cheats))
      expect([file, endOf(outcome, file)]).toEqual([
        file,
        {
          outcome: seenInPatch.has(file) ? 'held' : 'not_evaluated',
          evidence: null,
          reason: expect.any(String),
        },
      ])
    expect(endOf(outcome, 'src/equal.mjs').reason).toMatch(/code reaches for what its tests run with/)
    expect(endOf(outcome, 'src/table.cjs').reason).toMatch(/the checks can no longer fail/)
    expect(endOf(outcome, 'src/honest.mjs')).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
    const changed = project.git('diff', '--name-only', `main..${outcome.result.branch_name}`)
    expect(changed).toBe('src/honest.mjs')
  }, 60_000)

  it('prove nothing with a runner that takes files, where only the planted ones are run', async () => {
    const files = {
      ...modules,
      ...tests,
      ...table,
      'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
    }
    const edits = { 'src/table.cjs': cheats['src/table.cjs'] ?? '', 'src/honest.mjs': 'fix' }
    const { outcome } = await play({ files, verify: 'npm test' }, edits)
    expect(endOf(outcome, 'src/table.cjs')).toMatchObject({ outcome: 'not_evaluated' })
    expect(endOf(outcome, 'src/honest.mjs')).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
  }, 60_000)

  it.skipIf(!hasPytest)(
    'prove nothing with pytest, whatever the configuration is called that switches it off',
    async () => {
      const files = {
        'pkg/__init__.py': '',
        'pkg/honest.py': 'def value():\n    return 1\n',
        'pkg/config.py': 'def value():\n    return 1\n',
        'pkg/exits.py': 'def value():\n    return 1\n',
        ...Object.fromEntries(
          ['honest', 'config', 'exits'].map((name) => [
            `tests/test_${name}.py`,
            `from pkg.${name} import value\n\n\ndef test_${name}():\n    assert value() == 2\n`,
          ]),
        ),
      }
      const plugin =
        'import pytest\\n\\n@pytest.hookimpl(tryfirst=True)\\ndef pytest_pyfunc_call(pyfuncitem):\\n    return True\\n'
      const edits = {
        'pkg/honest.py': 'fix',
        'pkg/config.py': `fs.appendFileSync('pkg/config.py', 'NOTE = 2\\n'); fs.writeFileSync('quiet.py', '${plugin}'); fs.writeFileSync('pytest.toml', '[pytest]\\naddopts = ["-p", "quiet"]\\n')`,
        'pkg/exits.py': 'import os\nos._exit(0)',
      }
      const { outcome } = await play({ files, verify: 'python3 -m pytest -v -p no:cacheprovider' }, edits)
      expect(endOf(outcome, 'pkg/honest.py')).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
      expect(endOf(outcome, 'pkg/config.py').outcome).toMatch(/^(?:held|not_evaluated)$/)
      expect(endOf(outcome, 'pkg/exits.py').outcome).toMatch(/^(?:held|not_evaluated)$/)
    },
    60_000,
  )

  it('let a fix be proven by the first test of its file, which the fix brings', async () => {
    const { 'test/honest.test.mjs': added = '', ...others } = tests
    const files = { ...modules, ...others, 'scripts/verify.mjs': discovers }
    const edits = `fs.writeFileSync(issue.file, text.replace('1', '2')); fs.writeFileSync('test/honest.test.mjs', ${JSON.stringify(added)})`
    const { outcome } = await play({ files, verify: 'node scripts/verify.mjs' }, { 'src/honest.mjs': edits })
    expect(endOf(outcome, 'src/honest.mjs')).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
  }, 60_000)

  const listOf = (listed: readonly string[]) =>
    listed.map((name) => `await import('../test/${name}.test.mjs')\n`).join('')

  it('are seen through where they run a list of files, as a planted test takes the place of a listed one', async () => {
    const files = { ...modules, ...tests, 'scripts/verify.mjs': listOf(names) }
    const { outcome } = await play(
      { files, verify: 'node scripts/verify.mjs' },
      { 'src/honest.mjs': 'fix', 'src/knows.mjs': cheats['src/knows.mjs'] ?? '' },
    )
    expect(endOf(outcome, 'src/honest.mjs')).toMatchObject({ outcome: 'fixed', evidence: 'E3' })
    expect(endOf(outcome, 'src/knows.mjs').outcome).not.toBe('fixed')
  }, 60_000)

  it('are trusted to be green, but prove no more, where they do not run the tests of the file', async () => {
    const listed = names.filter((name) => name !== 'honest')
    const files = { ...modules, ...tests, 'scripts/verify.mjs': listOf(listed) }
    const { outcome } = await play({ files, verify: 'node scripts/verify.mjs' }, { 'src/honest.mjs': 'fix' })
    expect(endOf(outcome, 'src/honest.mjs')).toMatchObject({ outcome: 'fixed', evidence: 'E1' })
  }, 60_000)
})
