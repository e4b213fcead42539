import { randomUUID } from 'node:crypto'
import type { Agent } from '../../../loop/ports.ts'
import { keepsConversation } from '../../../model/agent/agent.ts'
import { createRunMark } from '../../process/run-mark.ts'
import { runProcess } from '../../process/run-process.ts'
import { claudeCommand, isCompaction, type ClaudeOptions } from './command.ts'
import { claudeDefinition } from './definition.ts'
import { claudeEnding, compactionEnding, textOf } from './ending.ts'
import { hearClaude, newClaudeRun, totalTokens, type ClaudeRun } from './parse.ts'

const keptOutput = 2 ** 20
const floodBytes = 256 * 2 ** 20

/** Claude Code, driven in its print mode. */
export function createClaudeAgent(options: ClaudeOptions): Agent {
  return {
    name: options.name,
    family: claudeDefinition.family,
    can: claudeDefinition.can,
    async run(request) {
      const { task, timeoutMs, signal, onUpdate } = request
      let run: ClaudeRun = newClaudeRun
      const process = await runProcess({
        ...claudeCommand(options, request, randomUUID()),
        timeoutMs,
        signal,
        mark: createRunMark(options.home),
        maxOutputBytes: keptOutput,
        killAboveBytes: floodBytes,
        onLine({ text }) {
          const heard = hearClaude(run, text)
          run = heard.run
          heard.updates.forEach(onUpdate)
        },
      })
      const ending = (isCompaction(request) ? compactionEnding : claudeEnding)(run, process, timeoutMs)
      return {
        agent: options.name,
        model: run.model ?? options.model,
        ending,
        text: run.result === null ? '' : textOf(run.result),
        tokens: totalTokens(run),
        cost_usd: run.costUsd,
        ...(run.isCostGuessed ? { cost_estimated: true } : {}),
        conversation_id: keepsConversation(task.role) ? run.sessionId : null,
        duration_ms: Math.round(process.durationMs),
      }
    },
  }
}
