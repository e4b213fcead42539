import {
  countsOf,
  isLeftover,
  planLeftovers,
  publishLeftovers,
  type LeftoverPlan,
  type LeftoversRequest,
  type PublishedLeftovers,
} from '../../loop/publish/publish-leftovers.ts'
import { Fault } from '../../model/fault.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Severity } from '../../model/issue/severity.ts'
import { issuesByCode, listIssues } from '../fix/choose-issues.ts'
import type { App } from '../open-app.ts'
import { resolveBase } from '../resolve-base.ts'
import { openForge, type OpenedForge } from './open-forge.ts'

export interface PublishChoice {
  readonly codes: readonly string[]
  /** All that stayed unresolved after somebody tried. */
  readonly unresolved: boolean
  /** Instead of the configured ones; issues that are named by code are published whatever their severity. */
  readonly severities: readonly Severity[]
  readonly isDryRun: boolean
}

export interface PublishedIssues extends PublishedLeftovers {
  /** The very texts, in a dry run. */
  readonly planned: readonly Pick<LeftoverPlan, 'title' | 'body' | 'labels'>[]
}

/** Makes GitHub issues of what stayed unresolved, or brings those that there are up to date. */
export async function publishIssues(app: App, choice: PublishChoice): Promise<PublishedIssues> {
  return publishWith(app, await openForge(app), choice)
}

export async function publishWith(
  app: App,
  { forge, remote }: OpenedForge,
  choice: PublishChoice,
): Promise<PublishedIssues> {
  const { labels } = app.loaded.config.github.leftovers
  const all = await listIssues(app, {})
  const leftovers = await chooseLeftovers(app, all, choice)
  const head = await resolveBase(app)
  const { defaultBranch } = await forge.about()
  const request: LeftoversRequest = {
    all,
    leftovers,
    labels,
    commit: (await remote.tip(`refs/heads/${defaultBranch}`)) ?? head.commit,
  }
  const ports = { forge, issues: app.store.issues, reviews: app.store.reviews }
  if (!choice.isDryRun) return { ...(await publishLeftovers(request, ports)), planned: [] }
  const plan = await planLeftovers(request, ports)
  const entryOf = ({
    issue,
    existing,
  }: {
    readonly issue: Issue
    readonly existing: LeftoverPlan['existing']
  }) => ({
    code: issue.code,
    number: existing?.number ?? null,
    url: existing?.url ?? null,
  })
  return {
    ...countsOf(request),
    issues_created: plan.publish.filter(({ existing }) => existing === null).map(entryOf),
    issues_updated: plan.publish
      .filter(({ existing, body }) => existing !== null && existing.body !== body)
      .map(entryOf),
    issues_closed: plan.close.map(entryOf),
    issues_unchanged: plan.publish.filter(({ existing, body }) => existing?.body === body).map(entryOf),
    planned: plan.publish.map(({ title, body, labels: given }) => ({ title, body, labels: given })),
  }
}

async function chooseLeftovers(
  app: App,
  all: readonly Issue[],
  choice: PublishChoice,
): Promise<readonly Issue[]> {
  const { codes, unresolved, severities } = choice
  if (codes.length > 0) return requireUnresolved(await issuesByCode(app, codes))
  if (!unresolved)
    throw new Fault('usage', 'say which issues', {
      hint: 'Name their codes, such as BE-001, or add --unresolved.',
    })
  const wanted = severities.length > 0 ? severities : app.loaded.config.github.leftovers.severity
  const chosen: Issue[] = []
  for (const issue of all)
    if (wanted.includes(issue.severity) && (await isLeftover(issue, app.store))) chosen.push(issue)
  return chosen
}

function requireUnresolved(issues: readonly Issue[]): readonly Issue[] {
  const closed = issues.filter(({ status }) => status !== 'open' && status !== 'failed')
  if (closed.length === 0) return issues
  const named = closed.map(({ code, status }) => `${code} (${status})`).join(', ')
  throw new Fault('transition_refused', `only open and failed issues are published, not ${named}`)
}
