import { oneLine } from './printable.ts'
import { hasPassed, laneMessage, type Lane } from './session-view.ts'

/** What a lane says in one line for a person: what is being done right now, or what it came to. */
export function laneSummary(lane: Lane | undefined, nowMs: number): string {
  if (!lane) return 'Waits for its turn'
  if (lane.waiting) return laneMessage(lane, nowMs)
  switch (lane.stage) {
    case 'waiting':
      return 'Waits for its turn'
    case 'fixing':
      if (lane.message.startsWith('waiting for')) return 'Waits for an agent’s place'
      return lastSaid(lane.text) ?? `The fixer is at work${aboutOf(lane)}`
    case 'verifying':
      return lane.message === hasPassed ? 'Its checks passed, it waits for its turn' : checkSaid(lane)
    case 'challenging':
      return `The challenger looks at the patch${aboutOf(lane)}`
    case 'landing':
      return lane.steps.land.state === 'running'
        ? 'The checks judge it with the others, then it lands'
        : 'Accepted, waits to land with the others'
    case 'held':
      return oneLine(lane.question?.reason ?? 'Waits for your answer', 200)
    case 'done':
      return oneLine(lane.landedAs ?? lane.message.replace(/^[a-z_]+: /, ''), 200)
  }
}

/** About how long it takes, where the message says it. */
const aboutOf = ({ message }: Lane): string => /, about \d+ (?:s|min)\b/.exec(message)?.[0] ?? ''

/** Counts at the end of a run of Node's tests or of TAP, such as `# duration_ms 21.5`: figures for programs. */
const isTally = (line: string): boolean => /^\s*(?:[#ℹ]|\d+\.\.\d+)/.test(line)

/** What the checks do, with the last line that they printed. */
function checkSaid(lane: Lane): string {
  const last = lane.output.split('\n').findLast((line) => line.trim() !== '' && !isTally(line))
  return last === undefined
    ? `The checks judge the patch${aboutOf(lane)}`
    : `Checks: ${oneLine(last.replace(/^▸ /, ''), 160)}`
}

/** A block of code with its fences; the last one may still be growing. */
const fenced = /^ *(`{3,}|~{3,})[^]*?(?:^ *\1|$(?![^]))/gm

/** Data, code and fences are for the transcript; a sentence says what an agent does. */
const isProse = (line: string): boolean => line !== '' && !/^(?:[{}[\]"`]|```|[+-]{3} |@@ )/.test(line)

/** The last line of an agent's talk that a person can read. */
function lastSaid(text: string): string | null {
  const lines = text
    .replace(fenced, '')
    .split('\n')
    .map((line) => oneLine(line, 200))
  return lines.findLast(isProse) ?? null
}
