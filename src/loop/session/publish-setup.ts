import { aboutTime } from '../context/about-time.ts'
import type { Recorder } from '../context/recorder.ts'
import type { Ports, SetupTold } from '../ports.ts'

/** Shorter waits are told while they last, and leave no record. */
const shortMs = 1000

/** Says that checks and agents wait for `workspace.setup` or for the files of a workspace, and about how long. Calling what it gives back ends that. */
export function publishSetup({
  recorder,
  ports,
}: {
  readonly recorder: Recorder
  readonly ports: Pick<Ports, 'workspaces' | 'pace' | 'clock'>
}): () => void {
  const { workspaces, pace, clock } = ports
  const began = new Map<string, number>()
  const end = workspaces.onSetup?.(async ({ run, isOver }: SetupTold) => {
    const type = 'fix_agent_waiting'
    const what = run === null ? 'files of a workspace' : `workspace.setup ${run}`
    if (!isOver) {
      // Files are told of only once they have taken that long.
      began.set(what, clock.now() - (run === null ? shortMs : 0))
      const usual = await pace.usualMs(what)
      const message = `waiting for ${run === null ? 'the files of a workspace' : `workspace.setup (${run})`}${aboutTime(usual)}`
      return recorder.publishEvent({ type, message, details: { for: 'setup' } })
    }
    const ms = Math.max(0, clock.now() - (began.get(what) ?? clock.now()))
    await pace.note(what, ms)
    const message = `${run === null ? 'the files of a workspace' : 'workspace.setup'} took ${(ms / 1000).toFixed(1)} s`
    const ended = { type, message, details: { for: 'setup', setup_ms: ms } } as const
    // Files are made by the workspaces themselves, whose time is counted already.
    if (ms < shortMs || run === null) recorder.publishEvent(ended)
    else await recorder.recordEvents([ended])
  })
  return () => end?.()
}
