import { aboutTime } from '../context/about-time.ts'
import type { Recorder } from '../context/recorder.ts'
import type { Ports, SetupTold } from '../ports.ts'

/** Shorter waits are told while they last, and leave no record. */
const shortMs = 1000

/** Says that checks and agents wait for `workspace.setup`, and about how long. Calling what it gives back ends that. */
export function publishSetup({
  recorder,
  ports,
}: {
  readonly recorder: Recorder
  readonly ports: Pick<Ports, 'workspaces' | 'pace' | 'clock'>
}): () => void {
  const { workspaces, pace, clock } = ports
  let beganMs = 0
  const end = workspaces.onSetup?.(async ({ run, isOver }: SetupTold) => {
    const type = 'fix_agent_waiting'
    const what = `workspace.setup ${run}`
    if (!isOver) {
      beganMs = clock.now()
      const usual = await pace.usualMs(what)
      const message = `waiting for workspace.setup (${run})${aboutTime(usual)}`
      return recorder.publishEvent({ type, message, details: { for: 'setup' } })
    }
    const ms = Math.max(0, clock.now() - beganMs)
    await pace.note(what, ms)
    const message = `workspace.setup took ${(ms / 1000).toFixed(1)} s`
    const ended = { type, message, details: { for: 'setup', setup_ms: ms } } as const
    if (ms < shortMs) recorder.publishEvent(ended)
    else await recorder.recordEvents([ended])
  })
  return () => end?.()
}
