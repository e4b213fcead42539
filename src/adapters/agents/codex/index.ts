import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Agent, AgentRequest, Walls } from '../../../loop/ports.ts'
import { estimateCost } from '../../../model/agent/price.ts'
import type { ProcessResult } from '../../process/start-process.ts'
import { keepsConversation } from '../../../model/agent/agent.ts'
import { runFilePath } from '../../process/run-mark.ts'
import { runAndHear } from '../program/event-stream.ts'
import { agentWalls, keptFolder } from '../definition/room.ts'
import { codexCommand, keysFor, strictSchema, toml, type CodexFiles, type CodexOptions } from './command.ts'
import { codexDefinition } from './definition.ts'
import { codexEnding } from './ending.ts'
import { hearCodex, newCodexRun, type CodexRun, ThreadTotals } from './parse.ts'

/** Codex, driven by `codex exec`. It does not report the tokens of its sub-agents, so they are not counted. */
export function createCodexAgent(options: CodexOptions): Agent {
  return {
    name: options.name,
    family: codexDefinition.family,
    can: codexDefinition.can,
    async run(request) {
      const { task, conversation, onUpdate } = request
      const { run, process } = await startCodex(options, request)
      const spent = await accountFor(options.home, run, conversation?.id)
      const tokens = spent.input_tokens + spent.output_tokens
      const cost_usd = costOf(spent, options)
      if (run.totals) onUpdate({ type: 'usage', tokens, cost_usd })
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
): Promise<{ readonly run: CodexRun; readonly process: ProcessResult }> {
  // Codex refuses to start without the folder that CODEX_HOME names.
  if (options.configFolder !== null) await mkdir(options.configFolder, { recursive: true, mode: 0o700 })
  const files = await writeRunFiles(options.home, request)
  try {
    return await runAndHear(codexCommand(options, request, files), {
      home: options.home,
      request,
      walls: await codexWalls(options, request, files),
      begin: newCodexRun,
      hear: hearCodex,
    })
  } finally {
    await files.remove()
  }
}

/** In the jail it has a configuration of its own, with the person's login and the conversations of all runs. */
async function codexWalls(
  options: CodexOptions,
  request: AgentRequest,
  files: CodexFiles,
): Promise<Walls | null> {
  const { env } = options
  const home = env['HOME'] ?? ''
  const folder = options.configFolder ?? env['CODEX_HOME'] ?? join(home, '.codex')
  const conversations = await keptFolder(options, 'codex/sessions')
  const login = codexDefinition.cli.login.files({ env, home, folder })
  return agentWalls(options, request, {
    clis: [{ ...codexDefinition.cli, keys: keysFor(options, codexDefinition.cli.keys ?? []) }],
    own: [folder],
    isReadOnly: request.task.access === 'read',
    writable: [
      { from: conversations, at: join(folder, 'sessions') },
      ...login.map(({ path }) => path),
      dirname(files.temporary),
    ],
  })
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
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

const instructions = (prompt: string): string => `developer_instructions = ${toml(prompt)}\n`

/** What this run alone used. The totals of its thread are kept for the next run that continues it. */
async function accountFor(home: string, run: CodexRun, earlierId: string | undefined): Promise<ThreadTotals> {
  const before = await readTotals(home, earlierId ?? '')
  if (run.totals === null) return spentSince(before, before)
  if (run.threadId !== null) await writeTotals(home, run.threadId, run.totals)
  return spentSince(run.totals, before)
}

/** Zero where the table has no price for the model. */
function costOf(spent: ThreadTotals, { model, prices }: CodexOptions): number {
  const { input_tokens, cached_input_tokens: cachedInput, output_tokens: output } = spent
  if (model === null) return 0
  const tokens = { input: input_tokens - cachedInput, cachedInput, output }
  return estimateCost(new Map([[model, tokens]]), prices) ?? 0
}

const none: ThreadTotals = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }

/** Ids come from another program: only what looks like one becomes a part of a path. */
const fileOf = (home: string, threadId: string): string | null =>
  /^[\w-]+$/.test(threadId) ? join(home, 'agents', 'codex', `${threadId}.json`) : null

/** What a thread had used up when its last run ended; nothing when that is not known. */
async function readTotals(home: string, threadId: string): Promise<ThreadTotals> {
  const file = fileOf(home, threadId)
  if (file === null) return none
  try {
    return ThreadTotals.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? none
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return none
    throw error
  }
}

/** Only one run at a time continues a thread, so nobody reads a file that is half written. */
async function writeTotals(home: string, threadId: string, totals: ThreadTotals): Promise<void> {
  const file = fileOf(home, threadId)
  if (file === null) return
  const write = () => writeFile(file, `${JSON.stringify(totals)}\n`)
  await write().catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await write()
  })
}

/** What one run used: the thread's totals less those before it. */
const spentSince = (totals: ThreadTotals, before: ThreadTotals): ThreadTotals => ({
  input_tokens: Math.max(0, totals.input_tokens - before.input_tokens),
  cached_input_tokens: Math.max(0, totals.cached_input_tokens - before.cached_input_tokens),
  output_tokens: Math.max(0, totals.output_tokens - before.output_tokens),
})
