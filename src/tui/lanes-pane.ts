import { laneMessage, type LaneStage } from '../client/session-view.ts'
import { blockingGate } from '../model/proof/gate.ts'
import { isAtRest, lanesOf, selectedLane, type ListedLane, type ScreenState } from './screen-state.ts'
import { column, fit, row, span, widthOf, type ScreenRow, type StyledText, type Tone } from './rows.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 120
/** Below this width, a lane shows only what cannot be left out. */
const roomyWidth = 84

/** So much of a title stands before what happens, at least; never nothing. */
const leastTitleWidth = 28
const narrowTitleWidth = 22
/** What stands before the title on a wide screen, apart from the code. */
const beforeTitle = 48

/** Titles get half of what is free, and no more than the longest one needs. */
function titleWidthFor(lanes: readonly ListedLane[], width: number, codeWidth: number): number {
  if (width < roomyWidth) return narrowTitleWidth
  const half = Math.floor((width - beforeTitle - codeWidth) / 2)
  return Math.max(leastTitleWidth, Math.min(half, Math.max(...lanes.map(({ title }) => widthOf(title)))))
}

const track: readonly LaneStage[] = ['fixing', 'verifying', 'challenging', 'landing', 'done']

/** One line per issue, around the selected one when there are more than fit. */
export function laneRows(
  state: ScreenState,
  size: { readonly width: number; readonly height: number },
  nowMs: number,
): readonly ScreenRow[] {
  const lanes = lanesOf(state)
  if (lanes.length === 0) return [row('no issue has begun yet', 'dim')]
  const chosen = selectedLane(state)
  const at = lanes.findIndex(({ code }) => code === chosen?.code)
  const first = Math.max(0, Math.min(at - Math.floor(size.height / 2), lanes.length - size.height))
  const codeWidth = Math.min(14, Math.max(...lanes.map(({ code }) => code.length)))
  const look = { codeWidth, titleWidth: titleWidthFor(lanes, size.width, codeWidth) }
  const isStill = isAtRest(state)
  const frame = isStill ? '‖' : (frames[Math.floor(nowMs / frameMs) % frames.length] ?? '')
  return lanes
    .slice(first, first + size.height)
    .map((lane) =>
      laneRow(lane, { ...look, isChosen: lane === lanes[at], isStill, frame, width: size.width, nowMs }),
    )
}

interface LaneLook {
  readonly isChosen: boolean
  /** Nobody works on the session. */
  readonly isStill: boolean
  readonly frame: string
  readonly codeWidth: number
  readonly titleWidth: number
  readonly width: number
  readonly nowMs: number
}

function laneRow(lane: ListedLane, look: LaneLook): ScreenRow {
  const { isChosen, isStill, frame, codeWidth, titleWidth, width, nowMs } = look
  const [icon, tone] = iconOf(lane, frame)
  const isRoomy = width >= roomyWidth
  const isBroken = isStill && lane.outcome === null && lane.stage !== 'held' && lane.stage !== 'waiting'
  const step = isBroken ? 'goes on with the session' : withoutOutcome(lane, laneMessage(lane, nowMs))
  return fit(
    [
      span(isChosen ? '› ' : '  ', 'accent'),
      span(`${icon} `, tone),
      span(`${column(lane.code, codeWidth)} `, isChosen ? 'chosen' : 'strong'),
      ...(isRoomy ? [span(`${trackOf(lane)} `, tone)] : []),
      span(`${column((lane.outcome ?? lane.stage).replaceAll('_', ' '), 11)} `, tone),
      span(lane.round > 0 ? `r${lane.round} ` : '   ', 'dim'),
      ...(isRoomy ? [gateSpan(lane)] : []),
      scoreSpan(lane),
      // The title says what it is about, whatever happens in it.
      span(step === '' ? lane.title : `${column(lane.title, titleWidth)} `),
      span(step, lane.waiting && !isBroken ? 'warn' : 'dim'),
    ],
    width,
  )
}

/** The outcome has a column of its own before the message that begins with it. */
const withoutOutcome = ({ outcome }: ListedLane, message: string): string =>
  outcome !== null && message.startsWith(`${outcome}: `) ? message.slice(outcome.length + 2) : message

function iconOf({ stage, outcome }: ListedLane, frame: string): readonly [string, Tone] {
  if (outcome === 'fixed') return ['✓', 'good']
  if (outcome !== null) return ['✗', 'bad']
  if (stage === 'held') return ['!', 'warn']
  return stage === 'waiting' ? ['·', 'dim'] : [frame, 'accent']
}

/** How far it has come: one mark per stage. */
function trackOf({ stage, outcome }: ListedLane): string {
  // A held patch is made, and no further.
  const at = stage === 'held' ? 'fixing' : stage
  const reached = outcome === 'fixed' ? track.length : stage === 'done' ? 0 : track.indexOf(at) + 1
  return track.map((_, index) => (index < reached ? '▪' : '▫')).join('')
}

function gateSpan({ rounds, stage, outcome }: ListedLane): StyledText {
  const gates = rounds.at(-1)?.gates ?? []
  // Once a patch is past inspection, a person has allowed whatever stood in its way.
  const isPast = outcome === 'fixed' || (outcome === null && track.indexOf(stage) > 0)
  const judged = gates.filter(({ status }) => status !== 'not_applicable')
  const gate = (isPast ? undefined : blockingGate(gates)) ?? judged.at(-1)
  if (!gate) return span(column('', 15))
  const isPassed = gate.status === 'passed'
  return span(column(`${isPassed ? '✓' : '✗'} ${gate.name}`, 15), isPassed ? 'good' : 'bad')
}

function scoreSpan({ rounds }: ListedLane): StyledText {
  const challenge = rounds.at(-1)?.challenge
  if (!challenge || challenge.score === null) return span('    ')
  const tone = challenge.status === 'accepted' ? 'good' : challenge.status === 'refused' ? 'bad' : 'warn'
  return span(`${String(Math.floor(challenge.score)).padStart(3)} `, tone)
}
