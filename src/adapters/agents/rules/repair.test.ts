import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sampleIssue } from '../../../../test/fixtures/issue.ts'
import type { AgentTask } from '../../../model/agent/agent.ts'
import { builtInRules } from './built-in-rules.ts'
import { repairIssue } from './repair.ts'

it.each([
  [
    'js/insecure-random',
    'export const newToken = () => Math.random() * 1e9\n',
    'or use crypto.randomUUID, crypto.getRandomValues or crypto.randomBytes',
  ],
  [
    'js/missing-callback-return',
    'export const all = (list) => list.map((one) => {\n  if (one) one.read()\n  one.end()\n})\n',
    'or return the value, or use forEach or a loop if none is meant',
  ],
])('%s without a safe fix says in one sentence what a person can do', async (rule, text, advice) => {
  const workspace = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
  try {
    writeFileSync(join(workspace, 'a.js'), text)
    const issues = [sampleIssue({ rule, file: 'a.js', line: 1, current_code: null, flagged_by: ['rules'] })]
    const task = { workspace, issues, feedback: [] } as unknown as AgentTask
    expect(await repairIssue(task, builtInRules, new AbortController().signal)).toMatchObject({
      outcome: 'needs_agent',
      explanation: `${rule} has no fix that is safe to apply here; configure an agent with a model, ${advice}`,
    })
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
})

it.each([
  ['from a import b, c\n', 'from a import c\n'],
  ['from a import c, b\n', 'from a import c\n'],
  ['import b\nx = 1\n', 'x = 1\n'],
  ['from a import (\n    c, b,\n)\n', 'from a import (\n    c,\n)\n'],
])('one unused import of %j goes, and the commit will name it', async (text, mended) => {
  const workspace = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
  try {
    writeFileSync(join(workspace, 'a.py'), text)
    const about = {
      rule: 'ruff/F401',
      file: 'a.py',
      line: text.split('\n').findIndex((line) => /\bb\b/.test(line)) + 1,
    }
    const issues = [sampleIssue({ ...about, current_code: 'b', flagged_by: ['rules'] })]
    const task = { workspace, issues, feedback: [] } as unknown as AgentTask
    const repair = await repairIssue(task, builtInRules, new AbortController().signal)
    expect(repair.changes_summary).toMatch(/^remove the unused import (?:a\.)?b in a\.py$/)
    expect(readFileSync(join(workspace, 'a.py'), 'utf8')).toBe(mended)
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
})

it.each([
  [
    'unicorn/no-await-in-promise-methods',
    'export const f = async () => Promise.all([a(), await b({\n  c,\n})])\n',
    'export const f = async () => Promise.all([a(), b({\n  c,\n})])\n',
    'let the promises run side by side',
  ],
  [
    'typescript/no-extra-non-null-assertion',
    'export const f = (a?: string) => g(a!!)\n',
    'export const f = (a?: string) => g(a!)\n',
    'drop a doubled non-null mark',
  ],
])('%s is mended as its commit says', async (rule, text, mended, done) => {
  const workspace = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
  try {
    writeFileSync(join(workspace, 'a.ts'), text)
    const issues = [sampleIssue({ rule, file: 'a.ts', line: 1, current_code: null, flagged_by: ['rules'] })]
    const task = { workspace, issues, feedback: [] } as unknown as AgentTask
    const repair = await repairIssue(task, builtInRules, new AbortController().signal)
    expect(repair.changes_summary).toBe(`${done} in a.ts, line 1`)
    expect(readFileSync(join(workspace, 'a.ts'), 'utf8')).toBe(mended)
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
})
