import { skipOrder } from '../attempt/commit.ts'
import type { Delivery } from './delivery.ts'
import type { CommitId } from '../id.ts'
import type { PatchFile } from '../proof/patch.ts'

/** What a bundle says of itself, and the patches that wait for a person, stand in one commit under this ref. */
export const deliveryRef = 'refs/fixpoint/delivery'
export const deliveryFile = 'delivery.json'
export const heldFile = (code: string): string => `held/${code}.patch`

/** The prefix of Fixpoint's own branches: a bundle may bring no other, because other branches may start workflows. */
export const bundledBranches = 'fix/'

const mostFiles = 3_000

/** One commit of a bundle as git has it. */
export interface BundledCommit {
  readonly commit: CommitId
  readonly message: string
  readonly files: readonly PatchFile[]
}

/** Why a bundle's refs are not those of one session; null when they are. */
export function refsFlaw(refs: readonly string[], { branch }: Pick<Delivery, 'branch'>): string | null {
  const known = new Set([`refs/heads/${branch}`, 'refs/notes/fixpoint', deliveryRef])
  const other = refs.find((ref) => !known.has(ref))
  if (other !== undefined) return `it brings ${JSON.stringify(other)}, which is no part of its session`
  if (!refs.includes(`refs/heads/${branch}`)) return `it does not bring ${JSON.stringify(branch)}`
  if (!branch.startsWith(bundledBranches))
    return `its branch is ${JSON.stringify(branch)}, and only branches below ${bundledBranches} are taken from a bundle`
  return null
}

/** Why a commit must not be pushed by somebody who did not see it made; null when nothing is against it. */
export function commitFlaw({ commit, message, files }: BundledCommit, delivery: Delivery): string | null {
  const of = delivery.issues.filter(({ commit_sha }) => commit_sha === commit)
  const name = commit.slice(0, 12)
  if (of.length === 0) return `${name} belongs to none of its issues`
  const missing = of.find(
    ({ code, fingerprint }) =>
      !hasTrailer(message, `Issue: ${code}`) || !hasTrailer(message, `Fingerprint: ${fingerprint}`),
  )
  if (missing) return `${name} does not say that it is about ${missing.code}`
  if (skipsChecks.test(message)) return `the message of ${name} keeps the checks of GitHub from running`
  if (files.length > mostFiles) return `${name} changes ${files.length} files, and ${mostFiles} are the most`
  const flaw = files.flatMap((file) => fileFlaw(file) ?? [])[0]
  return flaw === undefined ? null : `${name} ${flaw}`
}

const hasTrailer = (message: string, line: string): boolean => message.split('\n').includes(line)

/** What GitHub looks for in the message of a commit before it runs workflows. */
const skipsChecks = new RegExp(`${skipOrder}|^skip-checks: *true`, 'im')

function fileFlaw({ path, old_path, mode }: PatchFile): string | null {
  const workflows = [path, old_path ?? path].find((one) => /^\.github(?:\/|$)/i.test(one))
  if (workflows !== undefined) return `changes ${workflows}: what runs with rights is changed by people only`
  if (mode === '120000') return `makes ${path} a link`
  if (mode === '160000' || /(?:^|\/)\.gitmodules$/i.test(path)) return `makes ${path} a submodule`
  return null
}

/** The commits that the issues of a bundle name and that its branch does not have. */
export function missingCommits(delivery: Delivery, commits: readonly BundledCommit[]): readonly string[] {
  const there = new Set(commits.map(({ commit }) => commit))
  const named = delivery.issues.flatMap(({ commit_sha }) => commit_sha ?? [])
  return [...new Set(named)].filter((commit) => !there.has(commit))
}
