import { judgeVotes } from '../../model/forge/vote.ts'
import { postReview } from '../../loop/publish/post-review.ts'
import { reviewPull, type PullReview } from '../../loop/publish/review-pull.ts'
import type { PullChange } from '../../loop/publish/ask-voter.ts'
import type { Forge, PullRequest, Trees } from '../../loop/ports.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import { Fault } from '../../model/fault.ts'
import type { CommitId } from '../../model/id.ts'
import { configFileName } from '../config/load-config.ts'
import { hash } from '../machine.ts'
import { openApp, type App } from '../open-app.ts'
import { openForge, type OpenedForge } from './open-forge.ts'

export interface PullReviewOptions {
  /** A number, a branch or an address. */
  readonly pull: string
  readonly isPosted: boolean
  /** Asks the person to trust what the base branch's configuration would run. */
  readonly requireTrust: (app: App, base: CommitId) => Promise<void>
  readonly signal: AbortSignal
  readonly say: (progress: string) => void
}

/** `fixpoint.pr-review.v1`, with what a person should know. */
export interface ReviewedPull extends PullReview {
  readonly review_id: number | null
}

const maxDiff = 4 * 1024 * 1024

/** Lets the voters judge a pull request. The configuration of its base branch counts; its own files are only read. */
export async function reviewPullRequest(app: App, options: PullReviewOptions): Promise<ReviewedPull> {
  const opened = await openForge(app)
  const pull = await findPull(opened.forge, options.pull)
  const { change, configuration } = await readChange(app, opened, pull)
  const voting = await openApp({
    cwd: app.git.root,
    env: app.env,
    git: app.git,
    repositoryText: configuration,
  })
  try {
    await options.requireTrust(voting, change.base.commit)
    const { config } = voting.loaded
    const review = await reviewPull(
      {
        change,
        threshold: config.github.review.threshold,
        conventions: config.conventions,
        commands: config.verify.commands,
        signal: options.signal,
        say: options.say,
      },
      await voting.ports(),
    )
    // A push during the vote makes a change that nobody voted on.
    const now = await opened.forge.pulls.get(pull.number)
    if (now.headSha !== pull.headSha)
      return {
        ...review,
        ...judgeVotes([], [], 0),
        reason: `the pull request moved to ${now.headSha.slice(0, 12)} meanwhile`,
        review_id: null,
      }
    const review_id = options.isPosted
      ? await postReview(review, change.diff, { forge: opened.forge, hash })
      : null
    const { status, average, reason, head_sha } = review
    const at = new Date().toISOString()
    const place = { repositoryId: app.repository.id, number: pull.number }
    await app.store.pullVotes.keep(place, { status, average, reason, head_sha, at })
    return { ...review, review_id }
  } finally {
    await voting.close()
  }
}

/** The change as git has it, and the configuration of the branch that it would be merged into. */
export async function readChange(
  app: App,
  { forge, remote }: OpenedForge,
  pull: PullRequest,
): Promise<{ readonly change: PullChange; readonly configuration: string | null }> {
  const { trees } = await app.ports()
  const head = await fetched(trees, await remote.fetch(`refs/pull/${pull.number}/head`), `#${pull.number}`)
  const tip = await fetched(trees, await remote.fetch(`refs/heads/${pull.base}`), pull.base)
  if (head.commit !== pull.headSha)
    throw new Fault(
      'busy',
      `#${pull.number} is being pushed to: GitHub says ${pull.headSha.slice(0, 12)}, git says ${head.commit.slice(0, 12)}`,
    )
  const from = await trees.mergeBase(tip.commit, head.commit)
  const base = from === null ? tip : await fetched(trees, from, pull.base)
  const { name } = await forge.about()
  const files = await trees.changes(base.tree, head.tree)
  const bytes = (await trees.readMany(tip.tree, [configFileName])).get(configFileName)
  return {
    change: {
      pull,
      base,
      head,
      diff: await trees.diff(base.tree, head.tree, maxDiff),
      files: files.filter(({ status }) => status !== 'deleted').map(({ path }) => path),
      isForeign: pull.headRepository !== name,
    },
    configuration: bytes ? new TextDecoder().decode(bytes) : null,
  }
}

async function fetched(trees: Trees, commit: CommitId | null, what: string): Promise<Revision> {
  const revision = commit === null ? null : await trees.resolve(commit)
  if (revision) return revision
  throw new Fault('forge_missing', `${what} is not there any more`)
}

/** By number, by address, or by branch. */
export async function findPull(forge: Pick<Forge, 'pulls'>, named: string): Promise<PullRequest> {
  const number = /^#?(\d+)$/.exec(named)?.[1] ?? /^https?:\/\/\S+\/pull\/(\d+)(?:[/?#].*)?$/.exec(named)?.[1]
  if (number !== undefined) return forge.pulls.get(Number(number))
  const [found] = (await forge.pulls.list(named)).filter(({ state }) => state === 'open')
  if (found) return found
  throw new Fault('forge_missing', `no open pull request has the branch ${named}`, {
    hint: 'Give its number, its branch or its address.',
  })
}
