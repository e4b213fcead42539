import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
