import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { envOf } from '../fixtures/command-line.ts'
import { forgeToken } from '../fixtures/forge/forge.ts'
import {
  makePublishedProject,
  threeMistakes,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'

const root = join(import.meta.dirname, '../..')
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { default: string }>
  outputs: Record<string, { value: string }>
  runs: { using: string; steps: { shell: string; run: string; env: Record<string, string> }[] }
}

let project: PublishedProject
beforeAll(async () => {
  const voter = "console.log(JSON.stringify({ score: 85, summary: 'fine', findings: [] })); return null"
  const reviewer = `if (task.role === 'pr_reviewer') { ${voter} } console.log(JSON.stringify({ groups: [{ description: 'all', findings: [{ file: 'src/add.js', line: '1', title: 'add subtracts', issue: 'add(1, 2) is -1.', severity: 'major', category: 'correctness' }] }], coverage: { reviewed: ['src/add.js'], partly: [], skipped: [] } })); return null`
  project = await makePublishedProject({ ...threeMistakes, reviewers: [reviewer, reviewer] })
})
afterAll(() => project.closeAll())

/** Runs the steps as a workflow does: expressions become variables, outputs are read from the file. */
async function runAction(given: Record<string, string>, event: { pull?: number } = {}) {
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: otherwise }]) => [name, given[name] ?? otherwise]),
  )
  const evaluate = (expression: string): string =>
    expression.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, path: string) =>
      path.startsWith('inputs.')
        ? (inputs[path.slice('inputs.'.length)] ?? '')
        : path === 'github.event.pull_request.number'
          ? String(event.pull ?? '')
          : '',
    )
  const files = {
    GITHUB_OUTPUT: join(project.folder, 'output'),
    GITHUB_STEP_SUMMARY: join(project.folder, 'summary'),
  }
  for (const file of Object.values(files)) writeFileSync(file, '')
  let log = ''
  let exitCode: number | null = 0
  for (const { run, env } of action.runs.steps) {
    expect(run).not.toContain('${{')
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
      cwd: project.root,
      env: {
        ...envOf(project),
        ...project.forge.env,
        ...files,
        RUNNER_TEMP: project.folder,
        GITHUB_ACTION_PATH: root,
        ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, evaluate(value)])),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ])
    log += stdout + stderr
    exitCode = code
  }
  const outputs = Object.fromEntries(
    readFileSync(files.GITHUB_OUTPUT, 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  return { exitCode, log, outputs, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') }
}

it('fixes what reviewers find and opens a pull request; then the votes on that one are posted', async () => {
  const fixed = await runAction({ mode: 'fix', post: 'true', version: root })
  expect(fixed.exitCode, fixed.log).toBe(0)
  expect(fixed.outputs).toMatchObject({
    'findings-count': '2',
    'fixed-count': '1',
    'pull-request-number': '1',
  })
  expect(Object.keys(fixed.outputs).toSorted()).toEqual(Object.keys(action.outputs).toSorted())
  expect(fixed.outputs['branch']).toMatch(/^fix\//)
  expect(fixed.summary).toContain('Fixpoint')
  expect(fixed.log).not.toContain(forgeToken)

  const reviewed = await runAction(
    { mode: 'review', post: 'true', version: root, reviewers: '' },
    { pull: 1 },
  )
  expect(reviewed.exitCode, reviewed.log).toBe(0)
  expect(reviewed.outputs).toMatchObject({ approved: 'true', 'pull-request-number': '1' })
  const { data } = await project.forge.ask<unknown[]>('GET', '/repos/ada/sample/pulls/1/reviews')
  expect(data).toHaveLength(1)
})

it('refuses a mode that it does not have, and takes no input for a command', async () => {
  expect(await runAction({ mode: '$(touch /tmp/fixpoint-was-here)', version: root })).toMatchObject({
    exitCode: 2,
  })
})
