import type { Delivery } from '../../model/forge/delivery.ts'
import { replaceOwnPart } from '../../model/forge/own-part.ts'
import {
  bodyPart,
  pullRequestText,
  pullRequestTitle,
  type DeliverySource,
} from '../../model/forge/pull-request-text.ts'
import { Fault } from '../../model/fault.ts'
import type { CommitNote, Forge, ForgeRepository, PullRequest, Remote } from '../ports.ts'

export interface PublishRequest {
  readonly delivery: Delivery
  readonly notes: readonly CommitNote[]
  /** The branch to merge into; else the one that the session started from, else the default one. */
  readonly base: string | null
  readonly title: string | null
  readonly isDraft: boolean
  readonly labels: readonly string[]
  /** The repository's own text for pull requests; empty when there is none. */
  readonly template: string
  readonly source: DeliverySource
}

export interface PublishPorts {
  readonly forge: Pick<Forge, 'about' | 'pulls'>
  readonly remote: Remote
  readonly say: (progress: string) => void
}

/** `fixpoint.pull-request.v1`, with what a person should know. */
export interface Published {
  readonly number: number | null
  readonly url: string | null
  readonly branch: string
  readonly base: string
  readonly head_sha: string
  readonly created: boolean
  readonly pushed: boolean
  readonly labels: readonly string[]
  readonly title: string
  readonly body: string
  readonly warnings: readonly string[]
}

/** The planned publication, after every check that needs no writing. */
export interface PublishPlan {
  readonly about: ForgeRepository
  readonly base: string
  readonly title: string
  readonly body: string
  /** The open pull request of the branch, when there is one. */
  readonly existing: PullRequest | null
}

/** Looks at everything, decides, writes nothing. */
export async function planPublish(
  request: PublishRequest,
  { forge }: Pick<PublishPorts, 'forge'>,
): Promise<PublishPlan> {
  const { delivery } = request
  const about = await forge.about()
  refuseReadOnly(about)
  const base = request.base ?? delivery.base_branch ?? about.defaultBranch
  if (delivery.branch === base || delivery.branch === about.defaultBranch)
    throw new Fault(
      'forge_refused',
      `${delivery.branch} is the branch to merge into: nothing is pushed to it`,
    )
  const pulls = await forge.pulls.list(delivery.branch)
  const existing = pulls.find(({ state }) => state === 'open') ?? null
  if (!existing) refuseClosed(pulls, delivery)
  const text = pullRequestText(delivery, request.source)
  return {
    about,
    base,
    title: request.title ?? existing?.title ?? pullRequestTitle(delivery),
    body: replaceOwnPart(existing?.body ?? request.template, bodyPart, text),
    existing,
  }
}

/** Pushes the branch and opens its pull request, or finds it. Every step may run twice: the branch finds all of it again. */
export async function publishSession(request: PublishRequest, ports: PublishPorts): Promise<Published> {
  const { forge, remote, say } = ports
  const { delivery } = request
  const plan = await planPublish(request, ports)
  say(`pushing ${delivery.branch} to ${plan.about.name}`)
  const { pushed } = await remote.push(delivery.branch, delivery.tip_commit)
  const unpushed = await remote.pushNotes(request.notes)
  const pull =
    plan.existing ??
    (await forge.pulls.open({
      title: plan.title,
      body: plan.body,
      branch: delivery.branch,
      base: plan.base,
      isDraft: request.isDraft,
    }))
  await updateText(pull, plan, ports)
  const missing = request.labels.filter((label) => !pull.labels.includes(label))
  const labels = missing.length > 0 ? await forge.pulls.label(pull.number, missing) : pull.labels
  return {
    ...resultOf(plan, delivery),
    number: pull.number,
    url: pull.url,
    base: pull.base,
    created: plan.existing === null,
    pushed,
    labels,
    warnings: unpushed === null ? [] : [`the evidence notes stay here: ${unpushed}`],
  }
}

/** What a dry run shows: the very texts, and nothing was written. */
export const plannedResult = (plan: PublishPlan, { delivery, labels }: PublishRequest): Published => ({
  ...resultOf(plan, delivery),
  number: plan.existing?.number ?? null,
  url: plan.existing?.url ?? null,
  created: false,
  pushed: false,
  labels,
  warnings: [],
})

const resultOf = ({ base, title, body }: PublishPlan, { branch, tip_commit }: Delivery) => ({
  branch,
  base,
  head_sha: tip_commit,
  title,
  body,
})

/** Another process may have opened it a moment ago: then its text is not ours yet. */
async function updateText(
  pull: PullRequest,
  { title, body, existing }: PublishPlan,
  { forge }: PublishPorts,
): Promise<void> {
  const wanted = existing ? body : replaceOwnPart(pull.body, bodyPart, ownTextIn(body))
  const changed = {
    ...(existing && title !== pull.title && { title }),
    ...(sameText(wanted, pull.body) ? {} : { body: wanted }),
  }
  if (Object.keys(changed).length > 0) await forge.pulls.edit(pull.number, changed)
}

/** GitHub gives line ends back in another form. */
const sameText = (a: string, b: string): boolean => a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n')

const ownTextIn = (body: string): string =>
  /<!-- fixpoint:begin [^>]*-->\n([^]*)\n<!-- fixpoint:end -->/.exec(body)?.[1] ?? body

function refuseReadOnly({ name, isArchived, canPush }: ForgeRepository): void {
  if (isArchived)
    throw new Fault('forge_refused', `${name} is archived: nothing can be pushed to it`, {
      hint: 'Unarchive it in its settings on GitHub.',
    })
  if (canPush === false)
    throw new Fault('forge_refused', `the token may not push to ${name}`, {
      hint: 'It needs write access to contents and pull requests; or push to a fork and set github.repository.',
    })
}

/** Opening another one would overrule the person who closed it. */
function refuseClosed(pulls: readonly PullRequest[], { branch, tip_commit }: Delivery): void {
  const same = pulls.find(({ headSha }) => headSha === tip_commit)
  if (same)
    throw new Fault('forge_refused', `pull request #${same.number} of ${branch} is ${same.state} already`, {
      hint:
        same.state === 'merged'
          ? 'fixpoint pr sync takes over what became of it.'
          : `Reopen it (${same.url}), or fix the issues again on a new branch.`,
      details: { number: same.number, state: same.state, url: same.url },
    })
}
