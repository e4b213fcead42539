import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import { resumeSession } from '../../src/app/fix/resume-session.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { snapshotOf } from '../fixtures/repositories.ts'

const bin = join(import.meta.dirname, '../../bin/fixpoint.js')
const never = new AbortController().signal
const ours = ['refs/heads/fix', 'refs/notes', 'refs/fixpoint']

let project: Project | null = null
afterEach(async () => {
  await project?.close()
  project = null
})

async function threeIssues(): Promise<Project> {
  const p = await makeProject({
    files: {
      'a.mjs': 'export const a = 0\n',
      'b.mjs': 'export const b = 0\n',
      'c.mjs': 'export const c = 0\n',
      'x.test.mjs': "import test from 'node:test'\ntest('runs', () => {})\n",
    },
    fixer: "edit(issue.file, '= 0', '= 1'); return {}",
    config: 'fix: { concurrency: 2 }',
  })
  await p.import(
    ['a', 'b', 'c'].map((name) => ({
      file: `${name}.mjs`,
      line: 1,
      title: `${name} is zero`,
      severity: 'minor',
      rule: name,
    })),
  )
  return p
}

/** Runs `fixpoint fix` as a person would, and kills it with -9 when the n-th event has come. */
async function killAfter(p: Project, count: number): Promise<string | null> {
  const child = spawn(process.execPath, [bin, 'fix', '--all', '--yes', '--jsonl'], {
    cwd: p.root,
    env: { ...p.env, FIXPOINT_HOME: p.home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  let session: string | null = null
  let seen = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as { session_id?: string; seq?: number | null }
    session = event.session_id ?? session
    if (event.seq) seen += 1
    if (seen >= count) child.kill('SIGKILL')
  }
  // The output of a process may end before the process.
  await ended
  return session
}

describe('killed with -9, then resumed', () => {
  it.each([1, 3, 6, 12, 20, 30])('after event %i, a session ends as it does without', async (count) => {
    const p = (project = await threeIssues())
    const before = snapshotOf(p.root, ours)
    const session = await killAfter(p, count)
    const { result } = await resumeSession(p.app, session ?? '', { stopStarting: never, endNow: never })
    expect(result).toMatchObject({ status: 'completed', issues_fixed: 3, issues_failed: 0 })
    const branch = result.branch_name ?? ''
    expect(p.git('rev-list', '--count', `main..${branch}`)).toBe('3')
    expect(['a', 'b', 'c'].map((name) => p.git('show', `${branch}:${name}.mjs`))).toEqual(
      ['a', 'b', 'c'].map((name) => `export const ${name} = 1`),
    )
    const issues = await p.app.store.issues.get(
      (await p.app.store.sessions.load(result.session_id))?.session.issue_ids ?? [],
    )
    for (const issue of issues) {
      expect(issue.status).toBe('resolved')
      expect(p.git('merge-base', '--is-ancestor', issue.fix_commit_sha ?? '', branch)).toBe('')
    }
    const seqs = (await p.app.store.sessions.events(result.session_id, 0)).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(snapshotOf(p.root, ours)).toEqual(before)
    expect(p.git('fsck', '--strict', '--no-dangling')).toBe('')
    expect(readdirSync(join(p.home, 'workspaces'))).toEqual([])
  })
})
