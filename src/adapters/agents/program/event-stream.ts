import type { z } from 'zod'
import type { AgentRequest, Walls } from '../../../loop/ports.ts'
import type { AgentUpdate } from '../../../model/agent/agent.ts'
import { createRunMark } from '../../process/run-mark.ts'
import { runProcess } from '../../process/run-process.ts'
import type { ProcessRequest, ProcessResult } from '../../process/start-process.ts'

/** What is known of a run after one more line of its stream, and the updates that the line is. */
export interface Heard<Run> {
  readonly run: Run
  readonly updates: readonly AgentUpdate[]
}

const keptOutput = 2 ** 20
const floodBytes = 256 * 2 ** 20

/** What is asked for, and how the program's lines are understood. */
export interface HeardProgram<Run> {
  readonly home: string
  readonly request: Pick<AgentRequest, 'timeoutMs' | 'signal' | 'onUpdate'>
  readonly walls: Walls | null
  /** What is known before the first line. */
  readonly begin: Run
  readonly hear: (run: Run, line: string) => Heard<Run>
}

/** Runs a CLI that prints an event per line; says what is known after its last one, and how the process ended. */
export async function runAndHear<Run>(
  command: Pick<ProcessRequest, 'command' | 'args' | 'cwd' | 'env' | 'stdin'>,
  { home, request, walls, begin, hear }: HeardProgram<Run>,
): Promise<{ readonly run: Run; readonly process: ProcessResult }> {
  let run = begin
  const process = await runProcess({
    ...command,
    timeoutMs: request.timeoutMs,
    signal: request.signal,
    mark: createRunMark(home),
    walls,
    maxOutputBytes: keptOutput,
    killAboveBytes: floodBytes,
    onLine({ text }) {
      const heard = hear(run, text)
      run = heard.run
      heard.updates.forEach(request.onUpdate)
    },
  })
  return { run, process }
}

/** The event of a line, or null when the line is none: a CLI may print other things between. */
export function parseEventLine<Event>(schema: z.ZodType<Event>, line: string): Event | null {
  if (!line.startsWith('{')) return null
  try {
    return schema.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null // a line that was cut off, or is no JSON
  }
}

const longestDetail = 200

/** The use of a tool, with the beginning of what it is used on. */
export const toolUpdate = (name: string, detail: string): AgentUpdate => ({
  type: 'tool',
  name,
  detail: detail.slice(0, longestDetail),
})
