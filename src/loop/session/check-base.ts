import { judgeBase } from '../../model/proof/preflight.ts'
import type { Recorder } from '../context/recorder.ts'
import type { Verifier } from '../context/verifier.ts'

/**
 * Runs the checks on the base before anything is spent. Gives why they could judge nothing, and null when fixes can be
 * judged, or have been already.
 */
export async function checkBase(
  recorder: Recorder,
  verifier: Verifier,
  signal: AbortSignal,
): Promise<string | null> {
  const { base, options } = recorder.session()
  // Commands for some paths only may have nothing to do here.
  const commands = options.commands.filter(({ paths }) => paths.length === 0)
  const isBegun = recorder.attempts().some(({ stage, rounds }) => stage !== 'queued' || rounds.length > 0)
  if (isBegun || commands.length === 0 || options.policy.max_rounds === 0) return null
  const { blocking, warnings } = judgeBase(await verifier.run(base, commands, signal))
  if (signal.aborted) return null
  if (blocking.length > 0)
    return `the checks can judge nothing here, so that no agent was asked: ${blocking.join('; ')}`
  const told = recorder.session().warnings ?? []
  for (const warning of warnings.filter((one) => !told.includes(one)))
    await recorder.recordTogether({
      session: { type: 'warned', warning },
      events: [{ type: 'fix_session_warning', message: warning }],
    })
  return null
}
