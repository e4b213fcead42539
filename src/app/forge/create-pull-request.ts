import {
  planPublish,
  plannedResult,
  publishSession,
  type Published,
  type PublishRequest,
} from '../../loop/publish/publish-session.ts'
import { answerThreads, type PushedFix } from '../../loop/publish/answer-threads.ts'
import type { CommitNote, StoredSession, Trees } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import { deliveryOf, type Delivery } from '../../model/forge/delivery.ts'
import type { CommitId } from '../../model/id.ts'
import { loadSession } from '../fix/stored-session.ts'
import { bringSession } from '../carry/carry-objects.ts'
import type { App } from '../open-app.ts'
import { openForge, type OpenedForge } from './open-forge.ts'
import { publishWith } from './publish-issues.ts'
import { readFile, stat } from 'node:fs/promises'
import { createBundles } from '../../adapters/workspaces/index.ts'
import { checkBundle, type CheckedBundle } from '../../loop/publish/check-bundle.ts'
import { redactor } from '../redact/redact-exits.ts'

export interface PullRequestOptions {
  /** A session's id; the newest that made a branch without it. */
  readonly session?: string | undefined
  readonly base?: string | undefined
  readonly title?: string | undefined
  readonly isDraft?: boolean | undefined
  readonly isDryRun?: boolean | undefined
  /** Whether the threads that issues came from are resolved too. */
  readonly isResolving?: boolean | undefined
  readonly say?: (progress: string) => void
  /** Where it is opened, when that is a fork: nothing else is written there. */
  readonly opened?: OpenedForge
}

/** Publishes what a session landed as a pull request, or updates the one that there is. */
export async function createPullRequest(app: App, options: PullRequestOptions): Promise<Published> {
  const delivery = await deliveryToPublish(app, options.session)
  if (!options.opened) await refuseForeign(app, delivery)
  const { trees } = await app.ports()
  const notes = await notesOf(delivery, trees)
  const request = await requestOf(app, options, { delivery, notes, source: 'session' })
  const opened = options.opened ?? (await openForge(app))
  if (options.isDryRun) return plannedResult(await planPublish(request, opened), request)
  const published = await publishSession(request, { ...opened, say: options.say ?? (() => undefined) })
  if (options.opened) return published
  const about = await opened.forge.about()
  const isResolving = options.isResolving ?? false
  await answerThreads({ fixes: pushedFixes(delivery), about, isResolving }, opened.forge)
  if (app.loaded.config.github.leftovers.publish === 'auto')
    await publishWith(app, opened, { codes: [], unresolved: true, severities: [], isDryRun: false })
  return published
}

/** A stranger's code is never pushed here: this repository's workflows would run it with its secrets. */
export async function refuseForeign(app: App, { session_id }: Delivery): Promise<void> {
  const { foreign } = (await loadSession(app, session_id)).session.options
  if (foreign === undefined) return
  throw new Fault(
    'forge_refused',
    `${session_id} worked on the code of ${foreign}, which is not pushed here`,
    {
      hint: 'Its patch is in the comment that answers the command; merge the pull request first, or apply it there.',
    },
  )
}

/** Publishes the file that another machine wrote, after everything in it was checked. Nothing of it is run. */
export async function createFromBundle(
  app: App,
  file: string,
  options: PullRequestOptions,
): Promise<Published> {
  const opened = await openForge(app)
  const checked = await readBundleFile(app, file, { ...opened, base: options.base ?? null })
  const { session_id } = checked.delivery
  if (options.session !== undefined && options.session !== session_id)
    throw new Fault('bundle_refused', `the bundle is of ${session_id}, not of ${options.session}`)
  const request = await requestOf(app, options, { ...checked, source: 'bundle' })
  if (options.isDryRun) return plannedResult(await planPublish(request, opened), request)
  return publishSession(request, { ...opened, say: options.say ?? (() => undefined) })
}

/** What is published, and how the person and the configuration want it. */
async function requestOf(
  app: App,
  { base, title, isDraft }: PullRequestOptions,
  what: Pick<PublishRequest, 'delivery' | 'notes' | 'source'>,
): Promise<PublishRequest> {
  const { draft, labels } = app.loaded.config.github.pull_request
  const { trees } = await app.ports()
  return {
    ...what,
    base: base ?? null,
    title: title ?? null,
    isDraft: isDraft ?? draft,
    labels,
    template: await readTemplate(trees, what.delivery.base_commit),
  }
}

/** The fixes of a session that is pushed. */
export const pushedFixes = ({ issues }: Delivery): readonly PushedFix[] =>
  issues.flatMap(({ code, references, commit_sha: commit, changes }) =>
    commit === null ? [] : [{ code, references, commit, changes }],
  )

/** What a session has to deliver; a fault when it made no branch, or somebody moved it. */
export async function deliveryToPublish(app: App, id: string | undefined): Promise<Delivery> {
  const stored = id === undefined ? await newestWithBranch(app) : await loadSession(app, id)
  const issues = await app.store.issues.get(stored.session.issue_ids)
  const delivery = deliveryOf(stored.session, stored.attempts, issues)
  if (!delivery)
    throw new Fault('not_found', `${stored.session.id} landed nothing, so there is nothing to publish`, {
      hint: `fixpoint sessions show ${stored.session.id} says why.`,
    })
  await bringSession(app, stored)
  const { trees } = await app.ports()
  const tip = await trees.resolve(`refs/heads/${delivery.branch}`)
  if (tip && tip.commit !== delivery.tip_commit && !(await trees.isReached(delivery.tip_commit, tip.commit)))
    throw new Fault('branch_moved', `${delivery.branch} does not hold what the session landed any more`)
  return delivery
}

async function newestWithBranch(app: App): Promise<StoredSession> {
  const sessions = await app.store.sessions.list(app.repository.id, 100)
  const found = sessions.find(({ branch_made }) => branch_made)
  if (found) return loadSession(app, found.id)
  throw new Fault('not_found', 'no session of this repository has landed anything', {
    hint: 'fixpoint fix --all fixes issues; fixpoint sessions list shows what became of it.',
  })
}

/** The evidence of each commit, as it stands in this clone. */
export async function notesOf({ issues }: Delivery, trees: Trees): Promise<readonly CommitNote[]> {
  const commits = [...new Set(issues.flatMap(({ commit_sha: commit }) => commit ?? []))]
  const notes = await Promise.all(
    commits.map(async (commit) => ({ commit, text: (await trees.readCommit(commit)).note })),
  )
  return notes.flatMap(({ commit, text }) => (text === null ? [] : [{ commit, text }]))
}

const templates = [
  '.github/pull_request_template.md',
  '.github/PULL_REQUEST_TEMPLATE.md',
  'pull_request_template.md',
  'PULL_REQUEST_TEMPLATE.md',
  'docs/pull_request_template.md',
  'docs/PULL_REQUEST_TEMPLATE.md',
]
const mostTemplate = 20_000

/** The repository's own text for pull requests, from the commit that the session started from. */
export async function readTemplate(trees: Trees, base: CommitId): Promise<string> {
  const revision = await trees.resolve(base)
  const files = revision ? await trees.readMany(revision.tree, templates) : new Map<string, Uint8Array>()
  const bytes = templates.map((path) => files.get(path)).find((found) => found !== undefined)
  return bytes ? new TextDecoder().decode(bytes).slice(0, mostTemplate) : ''
}

const mostBytes = 100 * 1024 * 1024

/** What a bundle delivers; a fault when anything in it is not as it has to be. */
async function readBundleFile(
  app: App,
  file: string,
  { forge, remote, base }: Pick<OpenedForge, 'forge' | 'remote'> & { readonly base: string | null },
): Promise<CheckedBundle> {
  const { trees, branches, inspector } = await app.ports()
  return checkBundle(
    await readBytes(file),
    { base },
    {
      bundles: createBundles(app.git),
      trees,
      branches,
      inspector,
      remote,
      forge,
      hasSecret: async (text) => (await redactor.text(text)) !== text,
    },
  )
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    const found = await stat(file)
    if (!found.isFile()) throw new Error('it is no file')
    if (found.size > mostBytes) throw new Error(`it has ${found.size} bytes, and ${mostBytes} are the most`)
    return await readFile(file)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Fault('input_invalid', `${file} cannot be read as a bundle: ${why}`, { cause })
  }
}
