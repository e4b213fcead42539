import { asFault, isRetryable } from '../../model/fault.ts'
import type { Proposal } from '../../model/forge/session-comment.ts'
import type { Session } from '../../model/session/session.ts'
import type { App } from '../open-app.ts'
import type { CommentPlace } from './comment-work.ts'
import { createPullRequest } from './create-pull-request.ts'
import { openFork } from './open-forge.ts'
import type { PullRequest } from '../../loop/ports.ts'

/** Offers the landed fixes of a session to the people of the pull request that it worked on. Failures that pass by themselves are tried again. */
export async function proposeLanded(
  app: App,
  session: Session,
  { pull, about }: CommentPlace,
): Promise<Proposal> {
  try {
    const offered =
      pull.headRepository === about.name
        ? await createPullRequest(app, { session: session.id, base: pull.branch, isDraft: false })
        : await offerToFork(app, session, pull)
    return 'patch' in offered
      ? { pullUrl: null, patch: offered.patch, trouble: null }
      : { pullUrl: offered.url, patch: null, trouble: null }
  } catch (error) {
    const fault = asFault(error)
    if (isRetryable(fault.code)) throw fault
    return { pullUrl: null, patch: null, trouble: fault.message }
  }
}

/** What landed on a stranger's code, as its author can take it over. */
type ForkOffer = { readonly url: string | null } | { readonly patch: string }

const mostPatch = 4 * 1024 * 1024

/**
 * Offers what a session landed to the fork that it worked on: as a pull request to the fork's own branch where its author
 * lets maintainers edit it and we may push there, else as a patch. It is never pushed to this repository, whose workflows
 * would run a stranger's code with its secrets.
 */
async function offerToFork(app: App, session: Session, pull: PullRequest): Promise<ForkOffer> {
  const url = pull.maintainersMayEdit ? await openThere(app, session, pull) : null
  if (url !== null) return { url }
  const { trees } = await app.ports()
  return { patch: await trees.diff(session.base.tree, session.tip.tree, mostPatch) }
}

/** Null where we may not. */
async function openThere(app: App, { id }: Session, pull: PullRequest): Promise<string | null> {
  if (pull.headRepository === null) return null
  try {
    const opened = await openFork(app, pull.headRepository)
    if ((await opened.forge.about()).canPush !== true) return null
    const { url } = await createPullRequest(app, { session: id, base: pull.branch, isDraft: false, opened })
    return url
  } catch (error) {
    if (isRetryable(asFault(error).code)) throw error
    return null
  }
}
