import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Agent, AgentRequest, Walls } from '../../../loop/ports.ts'
import { estimateCost } from '../../../model/agent/price.ts'
import type { ProcessResult } from '../../process/start-process.ts'
import { keepsConversation } from '../../../model/agent/agent.ts'
import { removeTree } from '../../process/leftovers/remove-tree.ts'
import { runFilePath } from '../../process/run-mark.ts'
import { neededFiles } from '../definition/login.ts'
import { runAndHear } from '../program/event-stream.ts'
import { agentsFolder, agentWalls, keptFolder } from '../definition/room.ts'
import { codexCommand, keysFor, strictSchema, toml, type CodexFiles, type CodexOptions } from './command.ts'
import { countUsage, type CountedUsage } from '../program/counted-usage.ts'
import { watchUsage } from '../program/watch-usage.ts'
import { codexDefinition } from './definition.ts'
import { codexEnding } from './ending.ts'
import { hearCodex, newCodexRun, type CodexRun, type ThreadTotals } from './parse.ts'
import { isPlainId, keepTotals, readTotals, spentSince, readRecordedTotals } from './usage-records.ts'

/** Codex, driven by `codex exec`. It does not report the tokens of its sub-agents, so they are not counted. */
export function createCodexAgent(options: CodexOptions): Agent {
  return {
    name: options.name,
    family: codexDefinition.family,
    can: codexDefinition.can,
    async run(request) {
      const { task, conversation, onUpdate } = request
      const before = await readTotals(options.home, conversation?.id ?? '')
      const counted = countUsage(options.prices)
      const { run, process } = await startCodex(options, request, { before, onUsage: counted.onUsage })
      const reported = run.totals ?? (await recordedTotals(options, run))
      const totals = reported ?? guessedTotals(before, run, request)
      await keepTotals(options.home, run.threadId, totals)
      const guess = usageOf(spentSince(totals, before), options)
      const onItsWay = counted.or({ tokens: 0, cost_usd: 0 })
      const { tokens, cost_usd } = reported === null && onItsWay.tokens > 0 ? onItsWay : guess
      if (tokens > 0) onUpdate({ type: 'usage', tokens, cost_usd })
      return {
        agent: options.name,
        model: options.model,
        ending: codexEnding(run, process, request.timeoutMs),
        text: run.text,
        tokens,
        cost_usd,
        cost_estimated: true,
        conversation_id: keepsConversation(task.role) || conversation ? run.threadId : null,
        duration_ms: Math.round(process.durationMs),
      }
    },
  }
}

async function startCodex(
  options: CodexOptions,
  request: AgentRequest,
  { before, onUsage }: { readonly before: ThreadTotals } & Pick<CountedUsage, 'onUsage'>,
): Promise<{ readonly run: CodexRun; readonly process: ProcessResult }> {
  // Codex refuses to start without the folder that CODEX_HOME names.
  if (options.configFolder !== null) await mkdir(options.configFolder, { recursive: true, mode: 0o700 })
  const files = await writeRunFiles(options.home, request)
  let heard = newCodexRun
  const read = async () => {
    const totals = heard.turn === null ? await recordedTotals(options, heard) : null
    return totals && usageOf(spentSince(totals, before), options)
  }
  const hear = (run: CodexRun, line: string) => {
    const next = hearCodex(run, line)
    heard = next.run
    return next
  }
  try {
    const walls = await codexWalls(options, request, { files, onUsage })
    const program = { home: options.home, request, walls, begin: newCodexRun, hear }
    return await watchUsage({ read, onUpdate: request.onUpdate }, () =>
      runAndHear(codexCommand(options, request, files), program),
    )
  } finally {
    await files.remove()
  }
}

/** In the jail it has a configuration of its own, with the person's login and the conversations of all runs. */
async function codexWalls(
  options: CodexOptions,
  request: AgentRequest,
  { files, onUsage }: { readonly files: CodexFiles } & Pick<CountedUsage, 'onUsage'>,
): Promise<Walls | null> {
  const { env } = options
  const home = env['HOME'] ?? ''
  const folder = options.configFolder ?? env['CODEX_HOME'] ?? join(home, '.codex')
  const conversations = await keptFolder(options, 'codex/sessions')
  const own = codexDefinition.cli.keys ?? []
  const keys = keysFor(options, own)
  // A provider that the person configured has a key of its own, and the login is not used.
  const isOther = keys.some((key) => !own.includes(key) && (env[key.variable] ?? '') !== '')
  const logins = isOther ? null : neededFiles(codexDefinition.cli.login, { env, home, folder })
  return agentWalls(options, request, {
    clis: [{ ...codexDefinition.cli, keys, logins }],
    onUsage,
    own: [folder],
    isReadOnly: request.task.access === 'read',
    writable: [{ from: conversations, at: join(folder, 'sessions') }, dirname(files.temporary)],
  })
}

/** Where the CLI keeps its own records: in the jail in a folder of Fixpoint's. */
const recordFolders = ({ configFolder, env, ...place }: CodexOptions): readonly string[] => [
  join(agentsFolder(place), 'codex/sessions'),
  join(configFolder ?? env['CODEX_HOME'] ?? join(env['HOME'] ?? homedir(), '.codex'), 'sessions'),
]

const recordedTotals = async (options: CodexOptions, { threadId }: CodexRun): Promise<ThreadTotals | null> =>
  threadId !== null && isPlainId(threadId) ? readRecordedTotals(recordFolders(options), threadId) : null

const charactersPerToken = 3
/** Its own instructions and tools, which every call begins with. */
const ownTokens = 12_000

/** An estimate for a conversation that leaves no record: each call must have read this much, also where the run was stopped or failed. */
function guessedTotals(
  before: ThreadTotals,
  { calls }: CodexRun,
  { prompt }: Pick<AgentRequest, 'prompt'>,
): ThreadTotals {
  const perCall = ownTokens + Math.ceil(prompt.length / charactersPerToken)
  return { ...before, input_tokens: before.input_tokens + calls * perCall }
}

/** Writes the files of one run below FIXPOINT_HOME, outside of every workspace; `remove` deletes them. */
export async function writeRunFiles(
  home: string,
  { task, subagents = [] }: Pick<AgentRequest, 'task' | 'subagents'>,
): Promise<CodexFiles & { remove(): Promise<void> }> {
  const folder = runFilePath(home, 'codex')
  const schema = task.output_schema && strictSchema(task.output_schema)
  const roles = new Map(subagents.map(({ name }, index) => [name, join(folder, `role-${index}.toml`)]))
  const schemaFile = schema && join(folder, 'schema.json')
  const files = [
    ...(schemaFile === null ? [] : [[schemaFile, JSON.stringify(schema)] as const]),
    ...subagents.map(({ name, prompt }) => [roles.get(name) ?? '', instructions(prompt)] as const),
  ]
  const temporary = join(folder, 'tmp')
  await mkdir(temporary, { recursive: true, mode: 0o700 })
  await Promise.all(files.map(([path, text]) => writeFile(path, text)))
  return {
    schema: schemaFile,
    roles,
    temporary,
    async remove() {
      // What cannot be removed does not change how the run ended.
      await removeTree(folder).catch(() => undefined)
    },
  }
}

const instructions = (prompt: string): string => `developer_instructions = ${toml(prompt)}\n`

/** It costs zero where the table has no price for the model. */
function usageOf(
  spent: ThreadTotals,
  { model, prices }: CodexOptions,
): { readonly tokens: number; readonly cost_usd: number } {
  const { input_tokens, cached_input_tokens: cachedInput, output_tokens: output } = spent
  const counts = { input: input_tokens - cachedInput, cachedInput, output }
  const cost = model === null ? 0 : estimateCost(new Map([[model, counts]]), prices)
  return { tokens: input_tokens + output, cost_usd: cost ?? 0 }
}
