import { setTimeout as delay } from 'node:timers/promises'
import type { FixEvent } from '../model/session/event.ts'
import { openCanvas, type Terminal } from './draw.ts'
import { layoutFrame, type ScreenSize } from './frame.ts'
import type { Action, KeyPress } from './key-press.ts'
import { press } from './keys.ts'
import { emptyScreen, selectedLane, withEvent, type ScreenState } from './screen-state.ts'
import type { SessionAccess } from './session-access.ts'

export interface ScreenOptions {
  readonly access: SessionAccess
  readonly mode: ScreenState['mode']
  readonly terminal: Terminal
  /** Ctrl-C, or the wish to stop what this process drives. */
  readonly onInterrupt: () => void
  /** The person has seen enough. */
  readonly onLeave: () => void
}

export interface OpenScreen {
  push(event: FixEvent): void
  /** Tells the person something. */
  say(text: string): void
  /** Shows what is wrong with the connection; null when nothing is any more. */
  trouble(text: string | null): void
  /** Reads everything again that the access knows; done once it is shown. */
  refresh(): Promise<void>
  close(): Promise<void>
}

const tickMs = 200
const drawPauseMs = 40
const readPauseMs = 400
/** The process that drives the session can end without an event, so the screen looks again by itself. */
const readAgainMs = 3_000

/** Shows one session in the whole terminal until it is closed. */
export function openScreen(options: ScreenOptions): OpenScreen {
  const { access, terminal } = options
  let state = emptyScreen(options.mode)
  const frame = () => layoutFrame(state, sizeOf(terminal), Date.now())
  const update = (change: Partial<ScreenState>): void => {
    state = { ...state, ...change }
    drawing.soon()
  }
  const read = inOrder(async () => update(await readSession(access, state).catch(noticeOf)))
  const refresh = createRefresh(read, readPauseMs)
  const act = (action: Action): void => {
    if (action.type === 'leave') return options.onLeave()
    if (action.type === 'interrupt') return options.onInterrupt()
    void perform(access, action)
      .then((notice) => ({ notice }), noticeOf)
      .then(update)
      .then(refresh.request)
  }
  const onKey = (key: KeyPress): void => {
    const before = state
    const { state: after, action } = press(before, key, frame().page)
    state = after
    if (after.selected !== before.selected || after.pane !== before.pane) refresh.request()
    if (action) act(action)
    drawing.now()
  }
  const canvas = openCanvas(terminal, onKey)
  const drawing = createDrawing(() => canvas.draw(frame().rows))
  const readingAgain = setInterval(refresh.request, readAgainMs)
  terminal.stdout.on('resize', drawing.now)
  refresh.request()
  drawing.now()
  return {
    push(event) {
      state = withEvent(state, event)
      if (event.seq !== null) refresh.request()
      drawing.soon()
    },
    say: (notice) => update({ notice }),
    trouble: (trouble) => update({ trouble }),
    refresh: read,
    async close() {
      refresh.end()
      clearInterval(readingAgain)
      terminal.stdout.off('resize', drawing.now)
      drawing.end()
      await canvas.close()
    },
  }
}

const sizeOf = ({ stdout }: Terminal): ScreenSize => ({
  columns: stdout.columns || 80,
  rows: stdout.rows || 24,
})

/** Starts each call when the one before has ended: what was read earlier is never shown later. */
function inOrder(read: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(read))
}

/** Draws now and then by itself, at once for a key, and a little later for everything that comes in crowds. */
function createDrawing(draw: () => void) {
  let pending: NodeJS.Timeout | null = null
  let isEnded = false
  const now = (): void => {
    if (pending) clearTimeout(pending)
    pending = null
    if (!isEnded) draw()
  }
  const ticking = setInterval(now, tickMs)
  return {
    now,
    soon: (): void => {
      pending ??= setTimeout(now, drawPauseMs)
    },
    end: (): void => {
      isEnded = true
      clearInterval(ticking)
      if (pending) clearTimeout(pending)
    },
  }
}

/** Reads what is shown of a session besides its events. */
async function readSession(access: SessionAccess, state: ScreenState): Promise<Partial<ScreenState>> {
  const detail = await access.detail()
  if (!detail) return {}
  const code = selectedLane({ ...state, detail })?.code
  const isDiffShown = state.pane === 'diff' && code !== undefined
  const asks = detail.attempts.some(({ stage, outcome }) => stage === 'held' || outcome === 'disputed')
  return {
    detail,
    approvals: asks ? await access.approvals() : [],
    questions: detail.status === 'awaiting_clarification' ? await access.questions() : [],
    ...(isDiffShown && { diff: await readDiff(access, state, code) }),
  }
}

/** The same object while the diff is the same: it is laid out only once. */
async function readDiff(
  access: SessionAccess,
  { diff }: ScreenState,
  code: string,
): Promise<ScreenState['diff']> {
  const text = await access.diff(code)
  return diff?.code === code && diff.text === text ? diff : { code, text }
}

function perform(
  access: SessionAccess,
  action: Exclude<Action, { type: 'leave' | 'interrupt' }>,
): Promise<string> {
  switch (action.type) {
    case 'cancel':
      return access.cancel()
    case 'answer_approval':
      return access.answerApproval(action.approval, action.answer)
    case 'answer_question':
      return access.answerQuestion(action.question, action.answer)
  }
}

const noticeOf = (error: unknown): Partial<ScreenState> => ({
  notice: error instanceof Error ? error.message : String(error),
})

export interface Refresh {
  /** Something has changed: reads again soon, and once more when it changes meanwhile. */
  request(): void
  end(): void
}

/** Reads at most so often, one after the other, however often it is asked to. */
export function createRefresh(read: () => Promise<void>, pauseMs: number): Refresh {
  let isDirty = false
  let isRunning = false
  let isEnded = false
  const run = async (): Promise<void> => {
    isRunning = true
    while (isDirty && !isEnded) {
      isDirty = false
      await read()
      await delay(pauseMs, undefined, { ref: false })
    }
    isRunning = false
  }
  return {
    request() {
      isDirty = true
      if (!isRunning && !isEnded) void run()
    },
    end: () => {
      isEnded = true
    },
  }
}
