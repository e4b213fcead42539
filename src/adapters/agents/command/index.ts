import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Agent } from '../../../loop/ports.ts'
import { renderBoundedText } from '../../process/bounded-text.ts'
import { runFilePath, createRunMark } from '../../process/run-mark.ts'
import { runProcess } from '../../process/run-process.ts'
import { processEnding } from '../program/ending.ts'
import { countUsage } from '../program/counted-usage.ts'
import { programWalls } from '../definition/room.ts'
import { commandDefinition } from './definition.ts'
import type { ProgramOptions } from '../definition/setup.ts'
import { readSaid, withFailure, passLines } from './parse.ts'

const keptOutput = 8 * 1024 * 1024
const floodBytes = 128 * 1024 * 1024

/**
 * Any program as an agent: it gets the prompt on stdin and the task in a file that `FIXPOINT_TASK` names, and the last
 * JSON object it prints is its report.
 */
export function createCommandAgent(options: ProgramOptions): Agent {
  return {
    name: options.name,
    family: commandDefinition.family,
    can: commandDefinition.can,
    async run(request) {
      const { task, prompt, timeoutMs, signal, onUpdate } = request
      const taskFile = runFilePath(options.home, 'task', '.json')
      await mkdir(dirname(taskFile), { recursive: true })
      await writeFile(taskFile, JSON.stringify(task, null, 2), { mode: 0o600 })
      const lines = passLines(onUpdate)
      const counted = countUsage(options.prices, onUpdate)
      try {
        const result = await runProcess({
          command: options.run,
          shell: true,
          cwd: task.workspace,
          env: { ...options.env, FIXPOINT_TASK: taskFile },
          stdin: prompt,
          timeoutMs,
          signal,
          mark: createRunMark(options.home),
          walls: programWalls(options, request, { readable: [taskFile], onUsage: counted.onUsage }),
          maxOutputBytes: keptOutput,
          killAboveBytes: floodBytes,
          onStdout: lines.push,
        })
        lines.end()
        const text = renderBoundedText(result.stdout)
        const said = readSaid(text)
        return {
          agent: options.name,
          model: options.model,
          ending: withFailure(processEnding(result, timeoutMs), said),
          text,
          ...counted.or({ tokens: said.tokens, cost_usd: said.cost_usd }),
          conversation_id: null,
          duration_ms: Math.round(result.durationMs),
        }
      } finally {
        // The program may have put anything in its place. A failure to remove it does not change how the run ended.
        await rm(taskFile, { recursive: true, force: true }).catch(() => undefined)
      }
    },
  }
}
