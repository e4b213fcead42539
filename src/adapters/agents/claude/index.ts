import { randomUUID } from 'node:crypto'
import type { Agent } from '../../../loop/ports.ts'
import { keepsConversation } from '../../../model/agent/agent.ts'
import { runAndHear } from '../program/event-stream.ts'
import { claudeCommand, isCompaction, type ClaudeOptions } from './command.ts'
import { claudeDefinition } from './definition.ts'
import { claudeEnding, compactionEnding, textOf } from './ending.ts'
import { hearClaude, newClaudeRun, totalTokens } from './parse.ts'

/** Claude Code, driven in its print mode. */
export function createClaudeAgent(options: ClaudeOptions): Agent {
  return {
    name: options.name,
    family: claudeDefinition.family,
    can: claudeDefinition.can,
    async run(request) {
      const { run, process } = await runAndHear(claudeCommand(options, request, randomUUID()), {
        home: options.home,
        request,
        begin: newClaudeRun,
        hear: hearClaude,
      })
      const endingOf = isCompaction(request) ? compactionEnding : claudeEnding
      return {
        agent: options.name,
        model: run.model ?? options.model,
        ending: endingOf(run, process, request.timeoutMs),
        text: run.result === null ? '' : textOf(run.result),
        tokens: totalTokens(run),
        cost_usd: run.costUsd,
        ...(run.isCostGuessed ? { cost_estimated: true } : {}),
        conversation_id: keepsConversation(request.task.role) ? run.sessionId : null,
        duration_ms: Math.round(process.durationMs),
      }
    },
  }
}
