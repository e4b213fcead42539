import { deliveredIssue } from '../../model/forge/delivery.ts'
import { leftoverPart, leftoverText, leftoverTitle } from '../../model/forge/leftover-text.ts'
import { replaceOwnPart } from '../../model/forge/own-part.ts'
import { isSettled } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Forge, ForgeIssue, ForgeRepository, IssueStore, ReviewStore } from '../ports.ts'

export interface LeftoversRequest {
  /** All issues of the repository; what is fixed among them is closed. */
  readonly all: readonly Issue[]
  /** Those to publish. */
  readonly leftovers: readonly Issue[]
  readonly labels: readonly string[]
  /** The commit that permalinks name: one that the forge has. */
  readonly commit: string
}

export interface LeftoversPorts {
  readonly forge: Pick<Forge, 'about' | 'issues'>
  readonly issues: Pick<IssueStore, 'change'>
  readonly reviews: Pick<ReviewStore, 'ledger'>
}

export interface PublishedIssue {
  readonly code: string
  readonly number: number | null
  readonly url: string | null
}

/** `fixpoint.publish.v1`. */
export interface PublishedLeftovers {
  readonly total_findings: number
  readonly fixed: number
  readonly blocked: number
  readonly issues_created: readonly PublishedIssue[]
  readonly issues_updated: readonly PublishedIssue[]
  readonly issues_closed: readonly PublishedIssue[]
  /** Those that are as they should be. */
  readonly issues_unchanged: readonly PublishedIssue[]
}

/** One issue as it would stand on the forge. */
export interface LeftoverPlan {
  readonly issue: Issue
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
  readonly existing: ForgeIssue | null
}

export interface LeftoversPlan {
  readonly publish: readonly LeftoverPlan[]
  readonly close: readonly { readonly issue: Issue; readonly existing: ForgeIssue }[]
}

/** Looks for what is published already, and decides; writes nothing. */
export async function planLeftovers(
  request: LeftoversRequest,
  ports: LeftoversPorts,
): Promise<LeftoversPlan> {
  const { all, leftovers, labels } = request
  const about = await ports.forge.about()
  const published = await ports.forge.issues.list(labels)
  const find = async (issue: Issue): Promise<ForgeIssue | null> => {
    const mark = leftoverPart(issue)
    const listed = published.find(({ body }) => body.includes(`fixpoint:begin ${mark} `))
    const number = listed ? null : numberIn(issue, about)
    const known = number === null ? null : await ports.forge.issues.get(number)
    return listed ?? (known?.body.includes(`fixpoint:begin ${mark} `) ? known : null)
  }
  const publish: LeftoverPlan[] = []
  for (const issue of leftovers) {
    const existing = await find(issue)
    const text = leftoverText({
      issue,
      tries: (await ports.reviews.ledger(issue.id)).attempts.map((attempt) => deliveredIssue(attempt, issue)),
      permalink: permalinkOf(issue, about, request.commit),
    })
    publish.push({
      issue,
      existing,
      title: leftoverTitle(issue),
      body: replaceOwnPart(existing?.body ?? '', leftoverPart(issue), text),
      labels: [...labels, issue.severity],
    })
  }
  const close: { issue: Issue; existing: ForgeIssue }[] = []
  for (const issue of all.filter(isDone)) {
    const existing = await find(issue)
    if (existing?.state === 'open') close.push({ issue, existing })
  }
  return { publish, close }
}

/** Publishes each leftover once, keeps its text up to date, and closes what is fixed. */
export async function publishLeftovers(
  request: LeftoversRequest,
  ports: LeftoversPorts,
): Promise<PublishedLeftovers> {
  const plan = await planLeftovers(request, ports)
  const created: PublishedIssue[] = []
  const updated: PublishedIssue[] = []
  const unchanged: PublishedIssue[] = []
  for (const { issue, existing, title, body, labels } of plan.publish) {
    const mark = `fixpoint:begin ${leftoverPart(issue)} `
    const found = existing ?? (await ports.forge.issues.open({ title, body, labels, mark }))
    const entry = { code: issue.code, number: found.number, url: found.url }
    await remember(issue, found, ports)
    if (!existing) created.push(entry)
    else if (existing.body === body) unchanged.push(entry)
    else {
      await ports.forge.issues.edit(existing.number, { body })
      updated.push(entry)
    }
  }
  for (const { issue, existing } of plan.close)
    await ports.forge.issues.edit(existing.number, {
      state: 'closed',
      reason: issue.status === 'ignored' || issue.status === 'duplicate' ? 'not_planned' : 'completed',
    })
  return {
    ...countsOf(request),
    issues_created: created,
    issues_updated: updated,
    issues_closed: plan.close.map(({ issue, existing }) => ({
      code: issue.code,
      number: existing.number,
      url: existing.url,
    })),
    issues_unchanged: unchanged,
  }
}

export const countsOf = ({ all, leftovers }: LeftoversRequest) => ({
  total_findings: all.length,
  fixed: all.filter(({ status }) => status === 'resolved' || status === 'merged').length,
  blocked: leftovers.length,
})

/** The issue knows where it was published, so that it is found without its label too. */
async function remember(issue: Issue, { url }: ForgeIssue, { issues }: LeftoversPorts): Promise<void> {
  if (issue.references.includes(url)) return
  await issues.change(issue.id, 'engine', (now) =>
    now.references.includes(url) ? now : { ...now, references: [...now.references, url] },
  )
}

function numberIn({ references }: Issue, { url }: ForgeRepository): number | null {
  const prefix = `${url}/issues/`
  const found = references.find((one) => one.startsWith(prefix) && /^\d+$/.test(one.slice(prefix.length)))
  return found === undefined ? null : Number(found.slice(prefix.length))
}

/** Merged, decided by a person, or not to be fixed. A fix that waits in a pull request is not there yet. */
const isDone = ({ status, evidence }: Issue): boolean =>
  status === 'merged' ||
  status === 'ignored' ||
  status === 'duplicate' ||
  (status === 'resolved' && evidence === 'manual')

function permalinkOf(
  { file, line, end_line }: Issue,
  { url }: ForgeRepository,
  commit: string,
): string | null {
  if (file === null) return null
  const path = file.split('/').map(encodeURIComponent).join('/')
  const lines = line === null ? '' : `#L${line}${end_line !== null && end_line > line ? `-L${end_line}` : ''}`
  return `${url}/blob/${commit}/${path}${lines}`
}

/** Whether an issue stayed unresolved although somebody tried: blocked, deferred, failed, refused, held. */
export async function isLeftover(
  issue: Issue,
  { reviews }: Pick<LeftoversPorts, 'reviews'>,
): Promise<boolean> {
  if (issue.status === 'failed') return true
  if (issue.status !== 'open') return false
  const { attempts } = await reviews.ledger(issue.id)
  return attempts.some((attempt) => isSettled(attempt) && attempt.outcome !== 'fixed')
}
