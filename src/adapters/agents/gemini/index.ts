import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Agent, AgentRequest, Walls } from '../../../loop/ports.ts'
import type { AgentEnding, AgentRun } from '../../../model/agent/agent.ts'
import { type ModelPrice, estimateCost } from '../../../model/agent/price.ts'
import { createRunMark } from '../../process/run-mark.ts'
import { runProcess } from '../../process/run-process.ts'
import type { CliOptions } from '../definition/setup.ts'
import { geminiDefinition } from './definition.ts'
import { failed } from '../program/ending.ts'
import { agentWalls } from '../definition/room.ts'
import {
  geminiArguments,
  geminiEnvironment,
  type GeminiConversation,
  type GeminiRun,
  plainPrompt,
} from './command.ts'
import { findConversation } from './conversation.ts'
import { geminiEnding } from './ending.ts'
import { countUsage, estimated, type CountedUsage } from '../program/counted-usage.ts'
import { watchUsage } from '../program/watch-usage.ts'
import { wholeLines } from '../program/whole-lines.ts'
import { tokensByModel, createGeminiReader, type GeminiAnswer } from './parse.ts'
import { conversationStore, linkedFiles, makeRunFiles, readEnvFile } from './run-files.ts'
import { readRecordedUsage } from './usage-records.ts'

export interface GeminiAgentOptions extends CliOptions {
  readonly maxTurns: number | null
  readonly prices: Readonly<Record<string, ModelPrice>>
}

const keptStderr = 256 * 1024
const floodBytes = 128 * 1024 * 1024

/** The Gemini CLI, headless: one process per run, with a home of its own and the login of the person. */
export function createGeminiAgent(options: GeminiAgentOptions): Agent {
  return {
    name: options.name,
    family: geminiDefinition.family,
    can: geminiDefinition.can,
    async run(request) {
      const startedAt = performance.now()
      const refuse = (ending: AgentEnding): AgentRun =>
        unstartedRun(options, ending, performance.now() - startedAt)
      if (existsSync(join(request.task.workspace, '.gemini/.env'))) return refuse(poisoned)
      const conversation = await findGiven(options, request)
      if (conversation === 'lost') return refuse(lost)
      const outside = await withKeysOutside(options)
      const files = await makeRunFiles({
        ...outside,
        fixpointHome: options.home,
        root: options.root,
        task: request.task,
        subagents: request.subagents ?? [],
      })
      try {
        return await runGemini(outside, request, { ...files, conversation })
      } finally {
        await files.remove()
      }
    },
  }
}

async function runGemini(
  options: GeminiAgentOptions,
  request: AgentRequest,
  given: Pick<GeminiRun, 'home' | 'tmp' | 'policyFile' | 'conversation'>,
): Promise<AgentRun> {
  const { task, timeoutMs } = request
  const since = new Date()
  const lines = wholeLines(request.onUpdate)
  const reader = createGeminiReader(lines.hear)
  const recorded = () => recordedUse(options, reader.answer(), since)
  const counted = countUsage(options.prices)
  const walls = await geminiWalls(options, request, { run: given.home, onUsage: counted.onUsage })
  const run = () =>
    runProcess({
      command: options.program,
      args: geminiArguments({ ...given, access: task.access, model: options.model, args: options.args }),
      cwd: task.workspace,
      env: geminiEnvironment(options.env, given),
      stdin: promptFor(request),
      timeoutMs,
      signal: request.signal,
      mark: createRunMark(options.home),
      walls,
      maxOutputBytes: keptStderr,
      killAboveBytes: floodBytes,
      onLine: ({ text }) => reader.read(text),
    })
  const result = await watchUsage({ read: recorded, onUpdate: request.onUpdate }, run)
  lines.end()
  const answer = reader.answer()
  const reported = reportedUsage(options, answer)
  const spent = counted.or(estimated(reported.tokens > 0 ? reported : ((await recorded()) ?? reported)))
  if (spent.tokens > 0) request.onUpdate({ type: 'usage', tokens: spent.tokens, cost_usd: spent.cost_usd })
  return {
    agent: options.name,
    model: answer.model ?? options.model,
    ending: geminiEnding({
      ...answer,
      process: result,
      timeoutMs,
      isResumed: given.conversation !== null,
      now: new Date(),
    }),
    text: answer.text,
    ...spent,
    conversation_id: answer.conversationId,
    duration_ms: Math.round(result.durationMs),
  }
}

/** What the run has used, as the CLI says at its end. */
const reportedUsage = ({ prices }: GeminiAgentOptions, { result }: GeminiAnswer) => ({
  tokens: result?.stats?.total_tokens ?? 0,
  cost_usd: estimateCost(tokensByModel(result), prices),
})

/** What the CLI has recorded of a conversation since then; null once it says by itself what the run has used. */
async function recordedUse(
  { prices, ...place }: GeminiAgentOptions,
  { conversationId, result }: GeminiAnswer,
  since: Date,
) {
  if (conversationId === null || result) return null
  const usage = await readRecordedUsage(conversationStore(place), conversationId, since)
  return usage && { tokens: usage.tokens, cost_usd: estimateCost(usage.byModel, prices) ?? 0 }
}

/** The file that may hold the person's key stays outside of the jail; the CLI gets the settings that it would read there as variables. */
async function withKeysOutside(options: GeminiAgentOptions): Promise<GeminiAgentOptions> {
  if (!options.jail.state.isThere) return options
  const written = Object.entries(await readEnvFile(options))
  const known = written.filter(([name]) => geminiDefinition.cli.variables.includes(name))
  return { ...options, env: { ...Object.fromEntries(known), ...options.env } }
}

/** In the jail it has the home of this run, the conversations of all runs, and the person's login. */
async function geminiWalls(
  options: GeminiAgentOptions,
  request: AgentRequest,
  { run, onUsage }: { readonly run: string } & Pick<CountedUsage, 'onUsage'>,
): Promise<Walls | null> {
  const linked = await linkedFiles(options)
  return agentWalls(options, request, {
    clis: [{ ...geminiDefinition.cli, logins: linked?.filter((path) => basename(path) !== '.env') ?? null }],
    onUsage,
    writable: [run, conversationStore(options)],
    readable: [options.env['GOOGLE_APPLICATION_CREDENTIALS'] ?? []].flat(),
  })
}

function promptFor({ prompt, task, subagents = [] }: AgentRequest): string {
  const agents = new Set(subagents.map(({ name }) => name))
  const exists = (name: string): boolean => existsSync(resolve(task.workspace, name))
  return plainPrompt(prompt, (name) => agents.has(name) || exists(name))
}

async function findGiven(
  place: GeminiAgentOptions,
  { conversation, task }: AgentRequest,
): Promise<GeminiConversation | null | 'lost'> {
  if (!conversation) return null
  const store = conversationStore(place)
  return (await findConversation({ store, ...conversation, workspace: task.workspace })) ?? 'lost'
}

const lost: AgentEnding = {
  ...failed('crashed', 'the conversation to continue is not known any more'),
  conversation_lost: true,
}

/** The CLI reads that file whatever its settings say, and the file can name another service to send the key to. */
const poisoned = failed(
  'crashed',
  'the repository holds .gemini/.env, by which it could redirect the Gemini CLI: remove it, or use another agent',
)

const unstartedRun = (
  { name, model }: GeminiAgentOptions,
  ending: AgentEnding,
  durationMs: number,
): AgentRun => ({
  agent: name,
  model,
  ending,
  text: '',
  tokens: 0,
  cost_usd: 0,
  conversation_id: null,
  duration_ms: Math.round(durationMs),
})
