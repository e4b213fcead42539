import { touchedPaths } from '../../model/proof/patch.ts'
import type { CheckoutWatch } from '../ports.ts'
import type { Recorder } from '../context/recorder.ts'

/** Why the session must stop, when the user's checkout was written to by an agent; null when all is well. */
export type GuardCheckout = (request: { readonly isForced: boolean }) => Promise<string | null>

/**
 * Looks whether the user's checkout changed. While a session runs, nobody else changes git's configuration, its hooks
 * or the files that the session works on, so such a change stops the session. Any other change may be the person's and
 * is only reported.
 */
export function createCheckoutGuard(watch: CheckoutWatch, recorder: Recorder): GuardCheckout {
  return async (request) => {
    const { files, settings, refs } = await watch.look(request)
    const worked = filesOf(recorder)
    const written = files.filter((path) => worked.has(path))
    if (settings.length > 0)
      return `the settings of your own repository were changed while agents ran, and not by Fixpoint: ${listPaths(settings)}. Look at them before you go on.`
    if (written.length > 0)
      return `your own checkout was changed while agents ran, and not by Fixpoint: ${listPaths(written)}. Look at it (git status, git diff) before you go on.`
    if (files.length > 0) await warn('your checkout changed meanwhile (not by Fixpoint)', { files }, recorder)
    const others = refs.filter((ref) => !isOwn(ref, recorder))
    if (others.length > 0)
      await warn(
        'refs of your repository changed meanwhile (not by this session)',
        { refs: others },
        recorder,
      )
    return null
  }
}

const isOwn = (ref: string, recorder: Recorder): boolean =>
  ref.startsWith('refs/fixpoint/') ||
  ref.startsWith('refs/notes/fixpoint') ||
  ref === `refs/heads/${recorder.session().branch ?? ''}`

async function warn(
  what: string,
  changed: Readonly<Record<string, readonly string[]>>,
  recorder: Recorder,
): Promise<void> {
  const paths = Object.values(changed).flat()
  const warning = `${what}: ${listPaths(paths)}`
  const details = Object.fromEntries(
    Object.entries(changed).map(([name, list]) => [name, list.slice(0, mostNamed)]),
  )
  await recorder.recordTogether({
    session: { type: 'warned', warning },
    events: [{ type: 'fix_session_warning', message: warning, details }],
  })
}

/** The files that the session's issues are about, and those that its patches touch. */
function filesOf(recorder: Recorder): ReadonlySet<string> {
  return new Set(
    recorder
      .attempts()
      .flatMap((attempt) => [
        ...attempt.files,
        ...attempt.rounds.flatMap((round) => round.files),
        ...('patch' in attempt ? touchedPaths(attempt.patch) : []),
      ]),
  )
}

const mostNamed = 100

const listPaths = (paths: readonly string[]): string =>
  paths.length <= 8 ? paths.join(', ') : `${paths.slice(0, 8).join(', ')} and ${paths.length - 8} more`
