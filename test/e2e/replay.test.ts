import { afterEach, expect, it } from 'vitest'
import { join } from 'node:path'
import { openApp } from '../../src/app/open-app.ts'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { replaySession } from '../../src/app/replay/replay-session.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

const never = { stopStarting: new AbortController().signal, endNow: new AbortController().signal }
const files = { 'src/a.mjs': 'export const a = 1\n', 'src/b.mjs': 'export const b = 1\n' }
const scores =
  "const value = issue.file === 'src/a.mjs' ? 87 : 95; return { feedback: 'x', quality_scores: { correctness: value, safety: value, minimality: value, style_consistency: value } }"

it('a recorded session says what another threshold would have landed, and changes nothing', async () => {
  project = await makeProject({
    files,
    verify: 'true',
    fixer: "edit(issue.file, /= \\d+/, '= ' + (task.round + 1)); return {}",
    challenger: scores,
    config: 'fix: { max_rounds: 2 }',
  })
  const p = project
  await p.import(['a', 'b'].map((name) => ({ file: `src/${name}.mjs`, line: 1, title: name, rule: name })))
  const env = { ...p.env, FIXPOINT_HOME: p.home }
  const folder = join(p.folder, 'recording')
  const app = await openApp({ cwd: p.root, env, record: folder })
  const { result } = await fixIssues(app, { issues: await chooseIssues(app, { all: true }) }, never)
  await app.close()
  expect(result).toMatchObject({ issues_fixed: 1 })
  const runs = p.seen().length
  const refs = p.git('for-each-ref')
  const replay = (threshold: string) =>
    replaySession({
      cwd: p.root,
      env,
      folder,
      flags: [{ where: '--threshold', key: 'challenge.threshold', value: threshold }],
      signals: never,
    })
  const lower = await replay('85')
  expect(lower.result).toMatchObject({ status: 'completed', issues_fixed: 2 })
  expect(lower.recorded?.result.issues_fixed).toBe(1)
  const same = await replay('90')
  expect(same.result).toMatchObject({ issues_fixed: 1 })
  expect(p.seen()).toHaveLength(runs)
  expect(p.git('for-each-ref')).toBe(refs)
  const [issue] = await p.app.store.issues.byCode(p.app.repository.id, ['BE-001'])
  expect(issue?.status).toBe('failed')
})
