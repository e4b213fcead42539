import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Agent, AgentRequest, Walls } from '../../../loop/ports.ts'
import { keepsConversation } from '../../../model/agent/agent.ts'
import { neededFiles } from '../definition/login.ts'
import { countUsage, type CountedUsage } from '../program/counted-usage.ts'
import { runAndHear } from '../program/event-stream.ts'
import { agentWalls, keptFolder } from '../definition/room.ts'
import { claudeCommand, isCompaction, type ClaudeOptions } from './command.ts'
import { claudeDefinition } from './definition.ts'
import { claudeEnding, compactionEnding, textOf } from './ending.ts'
import { hearClaude, isCostEstimated, newClaudeRun, totalCost, totalTokens } from './parse.ts'

/** In the jail it has a configuration of its own, with the person's login and the conversations of all runs. */
async function claudeWalls(
  options: ClaudeOptions,
  request: AgentRequest,
  { env, onUsage }: { readonly env: Readonly<Record<string, string>> } & Pick<CountedUsage, 'onUsage'>,
): Promise<Walls | null> {
  const home = env['HOME'] ?? ''
  const folder = env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude')
  const conversations = await keptFolder(options, 'claude/projects')
  const logins = neededFiles(claudeDefinition.cli.login, {
    env,
    home,
    folder: env['CLAUDE_CONFIG_DIR'] ?? null,
  })
  return agentWalls(options, request, {
    clis: [{ ...claudeDefinition.cli, logins }],
    onUsage,
    own: [folder],
    writable: [{ from: conversations, at: join(folder, 'projects') }],
  })
}

/** Claude Code, driven in its print mode. */
export function createClaudeAgent(options: ClaudeOptions): Agent {
  return {
    name: options.name,
    family: claudeDefinition.family,
    can: claudeDefinition.can,
    async run(request) {
      const counted = countUsage(options.prices)
      const command = claudeCommand(options, request, randomUUID())
      const { run, process } = await runAndHear(command, {
        home: options.home,
        request,
        walls: await claudeWalls(options, request, { env: command.env, onUsage: counted.onUsage }),
        begin: newClaudeRun,
        hear: hearClaude,
      })
      const endingOf = isCompaction(request) ? compactionEnding : claudeEnding
      return {
        agent: options.name,
        model: run.model ?? options.model,
        ending: endingOf(run, process, request.timeoutMs),
        text: run.result === null ? '' : textOf(run.result),
        ...counted.or({
          tokens: totalTokens(run),
          cost_usd: totalCost(run),
          ...(isCostEstimated(run) ? { cost_estimated: true } : {}),
        }),
        conversation_id: keepsConversation(request.task.role) ? run.sessionId : null,
        duration_ms: Math.round(process.durationMs),
      }
    },
  }
}
