import { isOwnBody } from '../../model/forge/pull-request-text.ts'
import type { CommitId } from '../../model/id.ts'
import { moveIssue, type Issue } from '../../model/issue/issue.ts'
import { reopenIssue } from '../../model/issue/move-by-hand.ts'
import { parseCommitTrailers, type CommitTrailers } from '../../model/proof/commit-trailers.ts'
import type { Forge, IssueStore, PullRequest, Remote, Trees } from '../ports.ts'
import { closedIn, fixedIn, proposedIn, type SyncedPull } from './sync-pulls.ts'

export interface AdoptPorts {
  readonly forge: Pick<Forge, 'about' | 'pulls'>
  readonly remote: Pick<Remote, 'fetch'>
  readonly trees: Pick<Trees, 'readCommit' | 'isReached'>
  readonly issues: Pick<IssueStore, 'change'>
}

const mostCommits = 200

/**
 * Takes over the fixes of Fixpoint's pull requests whose sessions are not known here, as on a machine without memory:
 * their commits name the fingerprints. So nobody fixes an issue again while its fix waits to be merged.
 */
export async function adoptPulls(all: readonly Issue[], ports: AdoptPorts): Promise<readonly SyncedPull[]> {
  const { name } = await ports.forge.about()
  // Somebody who can push to this repository can be believed; the author of a fork could name any fingerprint.
  const pulls = (await ports.forge.pulls.list(null)).filter(
    ({ body, headRepository }) => isOwnBody(body) && headRepository === name,
  )
  const open = new Map(
    all.flatMap((issue) =>
      issue.status === 'open' || issue.status === 'failed' ? [[issue.fingerprint, issue]] : [],
    ),
  )
  const adopted: SyncedPull[] = []
  for (const pull of open.size > 0 ? pulls : []) adopted.push(await adoptPull(pull, open, ports))
  const known = new Set(pulls.map(({ number }) => number))
  for (const issue of all) {
    const number = adoptedFrom(issue)
    if (number !== null && !known.has(number)) adopted.push(await recordPull(issue, number, ports))
  }
  return adopted.filter(({ changed }) => changed.length > 0)
}

async function adoptPull(
  pull: PullRequest,
  open: ReadonlyMap<string, Issue>,
  ports: AdoptPorts,
): Promise<SyncedPull> {
  const changed: SyncedPull['changed'][number][] = []
  for (const { commit, trailers } of await fixesOf(pull, ports))
    for (const fingerprint of trailers.fingerprints) {
      const issue = open.get(fingerprint)
      if (!issue) continue
      const now = await ports.issues.change(issue.id, 'person', (current) =>
        current.status === 'open' || current.status === 'failed'
          ? {
              ...moveIssue(current, 'resolved', 'person'),
              resolution_note: proposedIn(pull.number),
              fix_commit_sha: commit,
              fix_branch: pull.branch,
              fix_session_id: null,
              evidence: trailers.evidence,
            }
          : current,
      )
      changed.push({ code: now.code, status: now.status })
    }
  return syncedOf(pull, changed)
}

/** The commits of Fixpoint that the base branch does not have; people may have added others. */
async function fixesOf(
  { number, base }: PullRequest,
  { remote, trees }: AdoptPorts,
): Promise<readonly { readonly commit: CommitId; readonly trailers: CommitTrailers }[]> {
  const tip = await remote.fetch(`refs/heads/${base}`)
  let at: CommitId | null = await remote.fetch(`refs/pull/${number}/head`)
  const found: { commit: CommitId; trailers: CommitTrailers }[] = []
  for (let count = 0; at !== null && tip !== null && count < mostCommits; count += 1) {
    if (await trees.isReached(at, tip)) break
    const { message, parents } = await trees.readCommit(at)
    const trailers = parseCommitTrailers(message)
    if (trailers) found.push({ commit: at, trailers })
    at = parents[0] ?? null
  }
  return found
}

/** The pull request that an issue was adopted from; null for one that a session of this machine fixed. */
function adoptedFrom({ status, fix_session_id, resolution_note }: Issue): number | null {
  if (status !== 'resolved' || fix_session_id !== null) return null
  const number = /^Proposed in PR #(\d+)$/.exec(resolution_note ?? '')?.[1]
  return number === undefined ? null : Number(number)
}

/** It is not open any more. */
async function recordPull(issue: Issue, number: number, { forge, issues }: AdoptPorts): Promise<SyncedPull> {
  const pull = await forge.pulls.get(number)
  if (pull.state === 'open') return syncedOf(pull, [])
  const now = await issues.change(issue.id, 'person', (current) => {
    if (adoptedFrom(current) !== number) return current
    return pull.state === 'merged'
      ? { ...moveIssue(current, 'merged', 'person'), resolution_note: fixedIn(number) }
      : reopenIssue(closedIn(number))(current)
  })
  return syncedOf(pull, [{ code: now.code, status: now.status }])
}

const syncedOf = (
  { number, url, state, branch }: PullRequest,
  changed: SyncedPull['changed'],
): SyncedPull => ({ number, url, state, branch, session_id: null, changed })
