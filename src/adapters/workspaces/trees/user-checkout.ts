import { createHash } from 'node:crypto'
import { lstat, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { UserCheckout, CheckoutChanges } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { TreeId } from '../../../model/id.ts'
import { hasCode, namesIn, readIfThere } from '../objects/files.ts'
import { nameOfBytes, splitNul } from '../objects/names.ts'
import { withTemporaryIndex, copyIndex } from '../objects/temporary-index.ts'
import type { GitRepository } from '../objects/repository.ts'
import { pastPipes } from '../objects/past-pipes.ts'

const MAX_NAME_BYTES = 16 * 1024 * 1024
/** Looking costs a walk over the whole checkout: agents that end one after the other share a look. */
const PAUSE_MS = 3_000

type Marks = ReadonlyMap<string, string>

interface Seen {
  /** Files that differ from the index, and untracked ones; null when they cannot be listed. */
  readonly files: Marks | null
  readonly settings: Marks
  /** What each ref points to; null when there are more than can be compared. */
  readonly refs: Marks | null
  /** The ref of the branch that is checked out. */
  readonly head: string
}

/** The port over the user's own checkout: only looks, through a copy of its index, and starts nothing of it. */
export const createCheckout = (repository: GitRepository): UserCheckout => ({
  snapshot: (what) => snapshotCheckout(repository, what),
  async watch() {
    let last = await see(repository)
    let lookedAt = performance.now()
    return {
      async look({ isForced }) {
        if (!isForced && performance.now() - lookedAt < PAUSE_MS) return nothing
        const now = await see(repository)
        const changes = compare(last, now)
        last = now
        lookedAt = performance.now()
        return changes
      },
    }
  },
})

const nothing: CheckoutChanges = { files: [], settings: [], refs: [] }

async function see(repository: GitRepository): Promise<Seen> {
  const [files, settings, refs, head] = await Promise.all([
    listDirtyFiles(repository),
    readGitSettings(repository),
    readRefs(repository),
    repository.checkout.text(['symbolic-ref', '--quiet', 'HEAD'], { answers: [1] }),
  ])
  return { files, settings, refs, head }
}

const compare = (before: Seen, now: Seen): CheckoutChanges => ({
  // A file that is clean now was committed or put back: that is no write of an agent.
  files: before.files && now.files ? freshIn(now.files, before.files) : [],
  settings: [...freshIn(now.settings, before.settings), ...goneFrom(now.settings, before.settings)],
  refs: before.refs && now.refs ? changedRefs(before, now) : [],
})

/** The branch that is checked out moves as the person commits, and another is made where they switch. */
const changedRefs = (before: Seen, now: Seen): readonly string[] => {
  const [was, is] = [before.refs ?? new Map(), now.refs ?? new Map()]
  return [...freshIn(is, was), ...goneFrom(is, was)].filter((ref) => ref !== before.head && ref !== now.head)
}

const goneFrom = (now: Marks, before: Marks): readonly string[] =>
  [...before.keys()].filter((name) => !now.has(name))

const freshIn = (now: Marks, before: Marks): readonly string[] =>
  [...now]
    .filter(([path, mark]) => before.get(path) !== mark)
    .map(([path]) => path)
    .toSorted()

async function listDirtyFiles(repository: GitRepository): Promise<Marks | null> {
  const { owned, root, gitDir, home } = repository
  const own = relative(root, home)
  const looking = lookingInto(root)
  return withTemporaryIndex(repository, async (index) => {
    try {
      await copyIndex(join(gitDir, 'index'), index.GIT_INDEX_FILE)
      const options = { env: { ...index, GIT_WORK_TREE: root }, maxBytes: MAX_NAME_BYTES } as const
      const listed = await looking(owned.run(['ls-files', '-m', '-o', '-z', '--exclude-standard'], options))
      const marks = new Map<string, string>()
      for (const path of splitNul(listed.stdout)) {
        const name = nameOfBytes(path)
        if (!name.startsWith(`${own}/`)) marks.set(name, await markOf(root, path))
      }
      return marks
    } catch (error) {
      // No index, one of a kind that cannot be copied, or more names than can be compared.
      if (error instanceof Fault || hasCode(error, 'ENOENT')) return null
      throw error
    }
  })
}

const lookingInto =
  (tree: string) =>
  <Answer>(asked: Promise<Answer>): Promise<Answer> =>
    pastPipes({ tree, of: 'person' }, asked)

/** The targets of all refs of the user's repository, except those that a fetch moves. */
async function readRefs({ users }: GitRepository): Promise<Marks | null> {
  try {
    const args = ['for-each-ref', '--format=%(refname) %(objectname)']
    const { stdout } = await users.run(args, { maxBytes: MAX_NAME_BYTES })
    const lines = stdout.toString('utf8').split('\n').filter(Boolean)
    const refs = lines.map((line) => line.split(' ', 2) as [string, string])
    return new Map(refs.filter(([name]) => !name.startsWith('refs/remotes/')))
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}

/** A file of up to this size is compared by its content: touching it does not change it. */
const MAX_READ_BYTES = 1024 * 1024

async function markOf(root: string, path: Buffer): Promise<string> {
  const place = Buffer.concat([Buffer.from(`${root}/`), path])
  try {
    const stat = await lstat(place, { bigint: true })
    if (stat.isFile() && stat.size <= MAX_READ_BYTES) {
      const content = createHash('sha256').update(await readFile(place))
      return `${stat.mode} ${content.digest('hex')}`
    }
    return `${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino}`
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'gone'
    if (hasCode(error, 'EACCES')) return 'closed'
    throw error
  }
}

const MAX_SNAPSHOT_BYTES = 64 * 1024 * 1024
const SLASH = 0x2f

/** The tree of what is staged, or of the checkout as it is on disk; made from a copy of the index, which stays as it is. */
async function snapshotCheckout(repository: GitRepository, what: 'staged' | 'uncommitted'): Promise<TreeId> {
  const { owned, root, gitDir } = repository
  const looking = lookingInto(root)
  return withTemporaryIndex(repository, async (index) => {
    await copyIndex(join(gitDir, 'index'), index.GIT_INDEX_FILE)
    const env = { ...index, GIT_WORK_TREE: root }
    if (what === 'uncommitted') {
      const list = ['ls-files', '-m', '-d', '-o', '-z', '--exclude-standard']
      const { stdout } = await looking(owned.run(list, { env, maxBytes: MAX_SNAPSHOT_BYTES }))
      // A nested repository is listed as a folder: it is not ours to read.
      const listed = splitNul(stdout).filter((path) => path.at(-1) !== SLASH)
      const paths = new Set(listed.map((path) => path.toString('latin1')))
      const input = Buffer.from([...paths].map((path) => `${path}\0`).join(''), 'latin1')
      await looking(owned.run(['update-index', '--add', '--remove', '-z', '--stdin'], { env, stdin: input }))
    }
    return TreeId.parse(await owned.text(['write-tree'], { env }))
  })
}

/** Files of the git directory that decide which programs git starts and where it finds objects. */
const FILES = ['config', 'config.worktree', 'info/attributes', 'info/grafts', 'objects/info/alternates']

/** A mark of each of those files and of every hook, by their path in the git directory. */
async function readGitSettings({ gitDir, commonDir }: GitRepository): Promise<Map<string, string>> {
  const marks = new Map<string, string>()
  for (const folder of new Set([commonDir, gitDir])) {
    const hooks = await readOr(namesIn(join(folder, 'hooks')), [], ['ENOTDIR', 'EACCES'])
    for (const name of [...FILES, ...hooks.map((hook) => `hooks/${hook}`)]) {
      // It may be a folder among the hooks, or a file that may not be read.
      const content = await readOr(readIfThere(join(folder, name)), Buffer.alloc(0), ['EISDIR', 'EACCES'])
      if (content !== null) marks.set(join(folder, name), markOfSetting(name, content))
    }
  }
  return marks
}

/** What a read gives, or `otherwise` where it fails with one of these codes. */
const readOr = <Value>(reading: Promise<Value>, otherwise: Value, codes: readonly string[]): Promise<Value> =>
  reading.catch((error: unknown) => {
    if (hasCode(error, ...codes)) return otherwise
    throw error
  })

function markOfSetting(name: string, content: Buffer): string {
  const text = name.startsWith('config') ? withoutBranches(content.toString('latin1')) : content
  return createHash('sha256').update(text).digest('hex')
}

/** What `git push -u` and `git switch -c` write for a person: it names branches, and starts nothing. */
function withoutBranches(config: string): string {
  let isBranch = false
  const lines = config.split('\n').filter((line) => {
    if (/^\s*\[/.test(line)) isBranch = /^\s*\[branch\b/i.test(line)
    return !isBranch && line.trim() !== ''
  })
  return lines.join('\n')
}
