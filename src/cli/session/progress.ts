import { commonWork, emptyView, laneMessage, reduceSession, type Lane } from '../../client/session-view.ts'
import type { FixEvent } from '../../model/session/event.ts'
import type { Output } from '../command/output.ts'
import { oneLine } from '../../client/printable.ts'

export interface Progress {
  readonly onEvent: (event: FixEvent) => void
  end(): void
}

/** Live lanes on a terminal, plain lines elsewhere, events in the `jsonl` mode. */
export function createProgress(output: Output, stderr: NodeJS.WriteStream): Progress {
  if (output.mode === 'jsonl') return { onEvent: (event) => output.event(event), end: () => undefined }
  return output.isInteractive ? liveLanes(output, stderr) : plainLines(output)
}

const spoken = new Set<FixEvent['type']>([
  'fix_session_started',
  'fix_cycle_completed',
  'fix_verification_result',
  'fix_challenger_result',
  'fix_issue_committed',
  'fix_issue_completed',
  'fix_landing_result',
  'fix_session_warning',
  'fix_session_parked',
  'fix_agent_waiting',
  'fix_network_refused',
  'fix_session_error',
])

/** What ends many issues at once is told once, and then who else it ends. */
function plainLines(output: Output): Progress {
  const told = new Map<string, string>()
  const messageOf = (event: FixEvent): string => {
    if (event.type !== 'fix_issue_completed' || event.issue_code === null) return event.message
    const first = told.get(event.message)
    told.set(event.message, first ?? event.issue_code)
    const isLong = event.message.length > 60
    return first !== undefined && isLong ? `${event.message.split(':')[0]}, like ${first}` : event.message
  }
  return {
    onEvent: (event) => {
      const isCommon = event.type === 'fix_verification_started' && event.issue_code === null
      if (!spoken.has(event.type) && !isCommon) return
      const who = event.issue_code ? `${event.issue_code}: ` : ''
      // How to go on stands behind why it rests.
      const length = event.type === 'fix_session_parked' ? 2_000 : 200
      output.say(`${who}${headingOf(event)}${oneLine(messageOf(event), length)}`)
    },
    end: () => undefined,
  }
}

/** What an event is about, in words; the message of a round says it itself. */
const headingOf = ({ type, details }: FixEvent): string =>
  type === 'fix_cycle_completed' || details['for'] === 'setup'
    ? ''
    : `${type.replace(/^fix_(issue_|session_)?/, '').replaceAll('_', ' ')}: `

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const tickMs = 120

/** Redraws one line per issue in place; lanes that are done scroll up and stay. */
function liveLanes(output: Output, stderr: NodeJS.WriteStream): Progress {
  let view = emptyView
  let drawn = 0
  let tick = 0
  const finished = new Set<string>()
  const draw = (): void => {
    const lanes = [...view.lanes.values()]
    const fresh = lanes.filter((lane) => lane.outcome !== null && !finished.has(lane.code))
    const live = lanes.filter((lane) => lane.outcome === null)
    const width = stderr.columns || 80
    const rows = Math.max(1, (stderr.rows || 24) - 2)
    const erase = drawn > 0 ? `\u001B[${drawn}A\u001B[0J` : ''
    const frame = frames[tick % frames.length] ?? ''
    const work = commonWork(view)
    const common = work === null ? [] : [oneLine(`${frame} ${work}`, width - 1)]
    const shown = [
      ...live.map((lane) => liveLine(lane, frame, width)).slice(0, rows - common.length),
      ...common,
    ]
    stderr.write(
      `${erase}${[...fresh.map((lane) => doneLine(lane, output, width)), ...shown].map((line) => `${line}\n`).join('')}`,
    )
    fresh.forEach((lane) => finished.add(lane.code))
    drawn = shown.length
    tick += 1
  }
  const timer = setInterval(draw, tickMs)
  return {
    onEvent: (event) => {
      view = reduceSession(view, event)
    },
    end: () => {
      clearInterval(timer)
      draw()
    },
  }
}

const liveLine = (lane: Lane, frame: string, width: number): string =>
  withMessage(
    `${frame} ${lane.code.padEnd(8)} ${lane.stage.padEnd(11)} round ${lane.round}  `,
    lane,
    width - 1,
  )

function doneLine(lane: Lane, output: Output, width: number): string {
  const isFixed = lane.outcome === 'fixed'
  const line = withMessage(`${lane.code.padEnd(8)} `, lane, width - 3)
  return `${output.paint(isFixed ? 'green' : 'red', isFixed ? '✓' : '✗')} ${line}`
}

/** The columns as they are and as much of the message as fits: one line longer than the terminal would break the redrawing. */
const withMessage = (columns: string, lane: Lane, width: number): string =>
  `${columns}${oneLine(laneMessage(lane, Date.now()), Math.max(1, width - columns.length))}`.slice(
    0,
    Math.max(1, width),
  )
