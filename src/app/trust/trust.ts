import { createHash } from 'node:crypto'
import type { Store } from '../../adapters/store/index.ts'
import { createTrees, type GitRepository } from '../../adapters/workspaces/index.ts'
import { promptFile, promptNames } from '../../loop/prompt-texts.ts'
import type { Trees } from '../../loop/ports.ts'
import type { TreeId } from '../../model/id.ts'
import { roleNames } from '../../model/config/written.ts'
import { Fault } from '../../model/fault.ts'
import type { Repository } from '../../model/repository.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { hasMoreRights, type NamedCommand } from '../config/repository-commands.ts'
import { forgetTrusted, trustDigest, keepTrusted, readTrusted, type TrustPlace } from './records.ts'
import type { ScriptSource } from './script-line.ts'
import { scriptLines } from './scripts.ts'
import { checkoutSource, readOfCheckout, treeSource } from './sources.ts'

/** A repository and its configuration, as far as trust is about them. */
export interface TrustSubject {
  readonly home: string
  readonly git: GitRepository
  readonly loaded: Pick<LoadedConfig, 'commands' | 'repositoryRules'>
  /** What is known of it, and where; of a folder that is only looked at, nothing is needed. */
  readonly repository?: Pick<Repository, 'id' | 'url'>
  readonly store?: Pick<Store, 'repositories'>
}

/** What is about to happen: a review needs less than a session, and talking to a forge only what is about it. */
export interface TrustScope {
  readonly for: 'review' | 'session' | 'forge'
  /** The revisions that work starts from, beside the checkout itself; HEAD when not given. */
  readonly revisions?: readonly string[]
  /** Commands of the repository that stand outside of its configuration, such as in notes. */
  readonly commands?: readonly NamedCommand[]
}

/** What of a repository's files would run, load or raise rights, and what of it nobody has trusted yet. */
export interface TrustState {
  readonly items: readonly NamedCommand[]
  readonly digest: string | null
  readonly untrusted: readonly NamedCommand[]
  /** What was trusted last and is not there any more. */
  readonly gone: readonly NamedCommand[]
}

/** The one place that decides what a repository's files may do. */
export async function readTrust(subject: TrustSubject, scope: TrustScope): Promise<TrustState> {
  const all = await listItems(subject, scope)
  const items = all.filter(({ key }) => needs[scope.for](key))
  const { isKnown, last } = await readKnown(subject)
  const present = new Set(all.map(nameOf))
  return {
    items,
    digest: trustDigest(items),
    untrusted: items.filter((item) => !isKnown(item)),
    gone: last.filter((item) => !present.has(nameOf(item))),
  }
}

/** Whether all of it was trusted; where there is nothing to trust, it counts as trusted. */
export const isTrusted = ({ untrusted }: TrustState): boolean => untrusted.length === 0

export const trustItems = (subject: TrustSubject, { items }: TrustState): Promise<void> =>
  sharedTrust(subject)?.keep(items.map(hashOf)) ?? keepTrusted(trustPlaceOf(subject), items)

/** Takes all trust back; says how much there was. */
export const distrust = (subject: TrustSubject): Promise<number> =>
  sharedTrust(subject)?.forget() ?? forgetTrusted(trustPlaceOf(subject))

/** Many machines work on a repository by URL, and all of them know what was trusted; for a folder, only its own machine does. */
function sharedTrust({ repository, store }: TrustSubject) {
  if (!store || !repository || repository.url === null) return null
  const { repositories } = store
  const { id } = repository
  return {
    read: () => repositories.trusted(id),
    keep: (hashes: readonly string[]) => repositories.trust(id, hashes),
    forget: () => repositories.distrust(id),
  }
}

interface KnownItems {
  readonly isKnown: (item: NamedCommand) => boolean
  /** What was trusted last, where it is kept as it was. */
  readonly last: readonly NamedCommand[]
}

async function readKnown(subject: TrustSubject): Promise<KnownItems> {
  const hashes = await sharedTrust(subject)?.read()
  if (hashes) return { isKnown: (item) => hashes.has(hashOf(item)), last: [] }
  const records = await readTrusted(trustPlaceOf(subject))
  const names = new Set(records.flat().map(nameOf))
  return { isKnown: (item) => names.has(nameOf(item)), last: records[0] ?? [] }
}

/** A command may hold a secret, which no shared database keeps. */
const hashOf = (item: NamedCommand): string => createHash('sha256').update(nameOf(item)).digest('hex')

/** What is new, and beside it what it replaces. */
export const describeUntrusted = ({ untrusted, gone }: TrustState): readonly string[] => {
  const keys = new Set(untrusted.map(({ key }) => key))
  const replaced = gone.filter(({ key }) => keys.has(key))
  const isFirst = replaced.length === 0
  return [
    ...replaced.map(({ key, run }) => `- ${key}: ${run}`),
    ...untrusted.map(({ key, run }) => (isFirst ? `${key}: ${run}` : `+ ${key}: ${run}`)),
  ]
}

/** The fault that refuses to go on; it names all that is new. */
export const notTrusted = (state: TrustState, lines: readonly string[], hint: string): Fault =>
  new Fault(
    'not_trusted',
    `this repository's files would run or load the following, and nobody has trusted it yet:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    { hint, details: { commands: state.untrusted, commands_hash: state.digest } },
  )

const trustPlaceOf = ({ home, git }: Pick<TrustSubject, 'home' | 'git'>): TrustPlace => ({
  home,
  repositoryKey: git.key,
})

const nameOf = ({ key, run }: NamedCommand): string => `${key}\0${run}`

const otherRoles = roleNames.filter((role) => role !== 'reviewers' && role !== 'pr_reviewers')
const promptKey = '.fixpoint/agents'
const borrowedKey = '.git/objects/info/alternates'

/** Reviewers, scanners, rules and the reviewers' prompts; named agents may be anybody's. */
function isForReview(key: string): boolean {
  if (key.startsWith(`${promptKey}/`)) return key.startsWith(`${promptKey}/reviewer`)
  if (key.startsWith('agents.'))
    return !otherRoles.some((role) => key === `agents.${role}` || key.startsWith(`agents.${role} `))
  return key.startsWith('review.') || key === borrowedKey
}

const needs: Readonly<Record<TrustScope['for'], (key: string) => boolean>> = {
  session: () => true,
  review: isForReview,
  forge: (key) => key.startsWith('github.'),
}

/** Everything that needs trust, each once. */
async function listItems(subject: TrustSubject, scope: TrustScope): Promise<readonly NamedCommand[]> {
  const { git, loaded } = subject
  const trees = createTrees(git)
  const revisions = await Promise.all(
    (scope.revisions ?? ['HEAD']).map((revision) => trees.resolve(revision)),
  )
  const commands = [...loaded.commands, ...(scope.commands ?? [])]
  const found = [...new Set(revisions.flatMap((revision) => revision?.tree ?? []))]
  const items = [
    ...commands,
    // Another repository, perhaps: whoever made this git directory may not be its owner.
    ...git.objectDirs.slice(1).map((path) => ({ key: borrowedKey, run: `agents and checks read ${path}` })),
    ...(await ruleItems(subject)),
    ...(await Promise.all(found.map((tree) => promptItems(trees, tree)))).flat(),
    ...(await scriptItems(commands, [
      checkoutSource(git.root, (path) => isIn(trees, found, path)),
      ...found.map((tree) => treeSource(git, trees, tree)),
    ])),
  ]
  return [...new Map(items.map((item) => [nameOf(item), item])).values()]
}

async function isIn(trees: Pick<Trees, 'list'>, found: readonly TreeId[], path: string): Promise<boolean> {
  const lists = await Promise.all(found.map((tree) => trees.list(tree)))
  return lists.some((files) => files.has(path))
}

/** Names a file with a digest of its content: once it changes, it has to be trusted again. */
const withContent = (path: string, text: string | Uint8Array): string =>
  `${path} (sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)})`

const ruleItems = ({ git, loaded }: TrustSubject): Promise<readonly NamedCommand[]> =>
  Promise.all(
    loaded.repositoryRules.map(async (path) => {
      const text = await readOfCheckout(git.root, path)
      return { key: 'review.rule_files', run: typeof text === 'string' ? withContent(path, text) : path }
    }),
  )

async function promptItems(trees: Pick<Trees, 'readMany'>, tree: TreeId): Promise<readonly NamedCommand[]> {
  const files = await trees.readMany(tree, promptNames.map(promptFile))
  return [...files].map(([path, bytes]) => ({ key: path, run: withContent(path, bytes) }))
}

async function scriptItems(
  commands: readonly NamedCommand[],
  sources: readonly ScriptSource[],
): Promise<readonly NamedCommand[]> {
  const items = await Promise.all(
    commands.flatMap(({ key, run }) =>
      sources.map(async (source) => {
        const lines = await scriptLines(run, source, { withFiles: hasMoreRights({ key, run }) })
        return lines.map(({ file, name, line }) => ({ key: `${key} > ${file}`, run: `${name}: ${line}` }))
      }),
    ),
  )
  return items.flat()
}
