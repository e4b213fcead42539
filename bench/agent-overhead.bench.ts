import { noJail } from '../src/loop/ports.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createClaudeAgent } from '../src/adapters/agents/claude/index.ts'
import { createCodexAgent } from '../src/adapters/agents/codex/index.ts'
import { own } from '../src/loop/own-text.ts'
import type { Agent } from '../src/loop/ports.ts'
import type { AgentTask } from '../src/model/agent/agent.ts'
import type { Figure } from './figure.ts'
import { median } from './statistics.ts'

export const title =
  'What Fixpoint adds to one run of an agent: start, reading along, result, nothing left behind'

const RUNS = 40
const transcripts = join(import.meta.dirname, '../test/fixtures/transcripts')

/** A program that reads its prompt and prints a recorded run at once, so that all other time is ours. */
function writeProgram(folder: string, kind: 'claude' | 'codex'): string {
  const program = join(folder, kind)
  writeFileSync(program, `#!/bin/sh\ncat > /dev/null\nexec cat ${join(transcripts, kind, 'success.jsonl')}\n`)
  chmodSync(program, 0o755)
  return program
}

const taskIn = (workspace: string): AgentTask => ({
  role: 'fixer',
  access: 'write',
  round: 1,
  issues: [],
  feedback: [],
  clarifications: {},
  notes: null,
  review: null,
  diff: null,
  verification: null,
  workspace,
  output_schema: { type: 'object', properties: { status: { type: 'string' } } },
})

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function runBare(program: string, cwd: string): Promise<void> {
  const child = spawn(program, [], { cwd, stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.end('prompt')
  await Promise.all([text(child.stdout), once(child, 'close')])
}

/** Measures both ways in turn, so that other work of the machine slows both of them. */
async function measure(agent: Agent, program: string, workspace: string): Promise<number> {
  const bare: number[] = []
  const ours: number[] = []
  for (let round = 0; round < RUNS; round += 1) {
    bare.push(await timed(() => runBare(program, workspace)))
    ours.push(
      await timed(async () => {
        const { ending } = await agent.run({
          task: taskIn(workspace),
          prompt: own`prompt`,
          timeoutMs: 10_000,
          signal: new AbortController().signal,
          onUpdate: () => undefined,
        })
        if (ending.ended !== 'finished')
          throw new Error(`the recorded run ended as ${ending.kind}: ${ending.message}`)
      }),
    )
  }
  return median(ours) - median(bare)
}

export async function run(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'))
  const workspace = join(folder, 'workspace')
  mkdirSync(workspace)
  const common = {
    model: null,
    thinkingBudget: null,
    permissions: 'role',
    args: [],
    env: { PATH: process.env['PATH'] ?? '' },
    configFolder: null,
    jail: noJail,
    allowedHosts: [],
    prices: {},
    home: join(folder, 'home'),
    root: folder,
  } as const
  const [claude, codex] = [writeProgram(folder, 'claude'), writeProgram(folder, 'codex')]
  try {
    const agents = [
      [createClaudeAgent({ ...common, name: 'claude', program: claude, maxTurns: null }), claude],
      [createCodexAgent({ ...common, name: 'codex', program: codex }), codex],
    ] as const
    const figures: Figure[] = []
    for (const [agent, program] of agents) {
      const value = await measure(agent, program, workspace)
      figures.push({ name: `${agent.name}, beyond the program itself`, value, limit: 50, unit: 'ms per run' })
    }
    return figures
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
