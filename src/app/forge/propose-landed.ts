import { asFault, isRetryable } from '../../model/fault.ts'
import type { Proposal } from '../../model/forge/session-comment.ts'
import type { Session } from '../../model/session/session.ts'
import type { App } from '../open-app.ts'
import type { CommentPlace } from './comment-work.ts'
import { createPullRequest } from './create-pull-request.ts'
import { offerToFork } from './offer-to-fork.ts'

/** Offers what a session landed to the people of the pull request that it worked on. What passes by itself is tried again. */
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
