import { afterEach, beforeEach, expect, it } from 'vitest'
import { answerApproval } from '../../src/app/fix/answer-approval.ts'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { readFixes, verifyFixes } from '../../src/app/verify/verify-fixes.ts'
import type { GateDefinition } from '../../src/loop/gates/gate-definition.ts'
import { gates } from '../../src/loop/gates/gates.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

/** A gate that nothing but the list knows: no file may speak of storms unless a person allows it. */
const weather: GateDefinition = {
  name: 'weather',
  description: 'is there no storm?',
  asks: { whom: 'person', question: 'May there be a storm?' },
  needs: 'patch',
  judge({ changes, approved }) {
    const stormy = changes.filter(
      ({ after, path }) => after?.includes('storm') && !approved?.paths.includes(path),
    )
    return stormy.length === 0
      ? { status: 'passed', reason: 'no storm' }
      : { status: 'failed', reason: 'a storm', paths: stormy.map(({ path }) => path) }
  },
}
/** Another gate that only the list knows, asked after the commands ran. */
const season: GateDefinition = {
  name: 'season',
  description: 'is it summer?',
  asks: null,
  needs: 'verification',
  judge: (_patch, { verification }) => ({ status: verification.status, reason: 'it is summer' }),
}

const list = gates as GateDefinition[]
let project: Project | null = null
beforeEach(() => {
  list.push(weather, season)
})
afterEach(async () => {
  list.splice(list.indexOf(weather), 2)
  await project?.close()
  project = null
})

const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
const files = {
  'src/a.mjs': 'export const add = (a, b) => a - b\n',
  'test/a.test.mjs': `${head}import { add } from '../src/a.mjs'\ntest('adds nothing', () => assert.equal(add(0, 0), 0))\n`,
}
const never = { stopStarting: new AbortController().signal, endNow: new AbortController().signal }

it('a gate that only the list knows is asked in inspection and verification, and by fixpoint verify', async () => {
  const p = (project = await makeProject({
    files,
    fixer: "edit('src/a.mjs', 'a - b', 'a + b // storm'); return {}",
    challenger: `return { feedback: 'fine', quality_scores: { correctness: 95, safety: 95, minimality: 95, style_consistency: 95 }, improvements_needed: [] }`,
  }))
  await p.import([{ file: 'src/a.mjs', line: 1, title: 'add is wrong', severity: 'major', rule: 'a' }])

  const { result, exitCode } = await p.fix()
  expect(exitCode).toBe(5)
  expect(result.results[0]).toMatchObject({ outcome: 'held', reason: 'a storm' })
  expect(p.events.find(({ type }) => type === 'fix_approval_needed')).toMatchObject({
    details: { gate: 'weather', files: ['src/a.mjs'] },
  })

  await answerApproval(p.app, { sessionId: result.session_id, codes: [], answer: { approve: true } })
  const resumed = await resumeSession(p.app, result.session_id, never)
  const [issue] = resumed.result.results
  expect(issue).toMatchObject({ outcome: 'fixed' })
  const seen = issue?.rounds.at(-1)?.gates.map(({ name, status }) => `${name} ${status}`)
  expect(seen).toEqual(expect.arrayContaining(['weather passed', 'season passed']))

  const verify = async (revision: string) => {
    const fixes = await readFixes(p.app, [revision])
    const [verdict] = await verifyFixes(p.app, { fixes, signal: never.endNow, onVerdict: () => undefined })
    return verdict
  }
  const verdict = await verify(issue?.commit_sha ?? '')
  expect(verdict?.status).toBe('confirmed')
  expect(verdict?.checks.map(({ name }) => name)).toEqual(expect.arrayContaining(['weather', 'season']))
  // Without the note, nothing records that a person allowed the storm.
  p.git('notes', '--ref=fixpoint', 'remove', issue?.commit_sha ?? '')
  expect((await verify(issue?.commit_sha ?? ''))?.checks).toContainEqual({
    name: 'weather',
    status: 'failed',
    reason: 'a storm',
  })
})
