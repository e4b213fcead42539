/** How many agents may run at once; the rest of an attempt's work needs no place. */
export interface Slots {
  /** Waits for a place, then works; null as soon as nothing new may start. Says so where there is no place now. */
  run<T>(stop: AbortSignal, work: (rest: Rest) => Promise<T>, onWait?: () => void): Promise<T | null>
}

/** Waits, and lends the place to other sessions meanwhile; the work then goes on at once, even while they still run. */
export type Rest = <T>(wait: () => Promise<T>) => Promise<T>

/** The places of all sessions of one process. */
export interface SharedSlots {
  /** The places of one session, at most `count` at once. A free place goes to the session that has the fewest. */
  forSession(count: number): Slots
}

export const createSlots = (count: number): Slots => createSharedSlots(count).forSession(count)

interface Lane {
  readonly count: number
  running: number
  /** How many of those that run are at rest. */
  resting: number
  readonly waiting: (() => void)[]
}

/** `count` places for all sessions together, or more where one session may have more. */
export function createSharedSlots(count: number): SharedSlots {
  // The lanes that run or wait. Of two with the same number of places, the one that was given a place longer ago stands first.
  let lanes: readonly Lane[] = []

  const nextInTurn = (): Lane | null => {
    const total = Math.max(count, ...lanes.map((lane) => lane.count))
    const taken = lanes.reduce((sum, { running, resting }) => sum + running - resting, 0)
    if (taken >= total) return null
    const eligible = lanes.filter((lane) => lane.waiting.length > 0 && lane.running < lane.count)
    return eligible.toSorted((a, b) => a.running - b.running)[0] ?? null
  }
  const handOut = (): void => {
    lanes = lanes.filter(({ running, waiting }) => running > 0 || waiting.length > 0)
    for (let lane = nextInTurn(); lane; lane = nextInTurn()) {
      lane.running += 1
      lane.waiting.shift()?.()
      lanes = [...lanes.filter((other) => other !== lane), lane]
    }
  }
  /** False when it was stopped before there was a place. */
  const enter = (lane: Lane, stop: AbortSignal, onWait: () => void): Promise<boolean> =>
    new Promise((resolve) => {
      const giveUp = (): void => {
        lane.waiting.splice(lane.waiting.indexOf(start), 1)
        resolve(false)
        handOut()
      }
      const start = (): void => {
        stop.removeEventListener('abort', giveUp)
        resolve(true)
      }
      lane.waiting.push(start)
      stop.addEventListener('abort', giveUp, { once: true })
      if (!lanes.includes(lane)) lanes = [...lanes, lane]
      handOut()
      if (lane.waiting.includes(start)) onWait()
    })

  return {
    forSession: (own) =>
      slotsIn({ count: own, running: 0, resting: 0, waiting: [] }, { enter, onFreed: handOut }),
  }
}

interface LaneKeeper {
  readonly enter: (lane: Lane, stop: AbortSignal, onWait: () => void) => Promise<boolean>
  /** Called when somebody has left its place, or lends it. */
  readonly onFreed: () => void
}

function slotsIn(lane: Lane, { enter, onFreed }: LaneKeeper): Slots {
  const rest: Rest = async (wait) => {
    lane.resting += 1
    onFreed()
    try {
      return await wait()
    } finally {
      lane.resting -= 1
    }
  }
  return {
    async run(stop, work, onWait = () => undefined) {
      if (stop.aborted || !(await enter(lane, stop, onWait))) return null
      try {
        return stop.aborted ? null : await work(rest)
      } finally {
        lane.running -= 1
        onFreed()
      }
    },
  }
}
