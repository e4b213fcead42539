import { join } from 'node:path'
import type { BranchMove, BranchMoved, Branches, BranchState, KeepRequest } from '../../../loop/ports.ts'
import { Fault } from '../../../model/fault.ts'
import { CommitId } from '../../../model/id.ts'
import { namesIn, readIfThere } from '../objects/files.ts'
import { writeNotes } from './notes.ts'
import type { GitRepository } from '../objects/repository.ts'
import { copyObjects, dropRef, readRef, swapRef } from './publish.ts'

/** The port over the user's refs: reads them, and moves the session's branch by compare-and-swap, never by force. */
export function createBranches(repository: GitRepository): Branches {
  // All notes share one ref: written one after the other, they need not compete for it.
  let lastNote: Promise<void> = Promise.resolve()
  return {
    check: (name) => checkBranch(repository, name),
    move: (request) => moveBranch(repository, request),
    note(notes) {
      const write = () => writeNotes(repository, notes)
      lastNote = lastNote.then(write, write)
      return lastNote
    },
    keep: (request) => keepCommit(repository, request),
    drop: (name) => dropRef(repository, keptRef(name)),
    branchOf: (revision) => findBranch(repository, revision),
    names: () => listNames(repository),
    hold: (commit) => isHeld(repository, commit),
  }
}

const keptRef = (name: string): string => `refs/fixpoint/${name}`

async function keepCommit(repository: GitRepository, { name, commit, base }: KeepRequest): Promise<string> {
  const ref = keptRef(name)
  await copyObjects(repository, commit, [base])
  const from = await readRef(repository, ref)
  if (from !== commit && !(await swapRef(repository, { ref, from, to: commit, reason: 'fixpoint: kept' })))
    throw new Fault('busy', `${ref} was moved by another process`)
  return ref
}

async function listNames({ users }: GitRepository): Promise<ReadonlySet<string>> {
  const listing = await users.text(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads'])
  return new Set(listing.split('\n'))
}

/** A commit that is not here any more is on no branch. */
async function isHeld({ users }: GitRepository, commit: CommitId): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--contains', commit, 'refs/heads', 'refs/remotes']
  const found = await users.run(args, { answers: [128, 129] })
  return found.exitCode === 0 && found.stdout.length > 0
}

async function findBranch({ checkout }: GitRepository, revision: string): Promise<string | null> {
  if (revision === '' || revision.startsWith('-') || /[\0\n]/.test(revision)) return null
  const args = ['rev-parse', '--verify', '--quiet', '--symbolic-full-name', '--end-of-options', revision]
  const found = await checkout.run(args, { answers: [1, 128] })
  const name = found.stdout.toString('utf8').trim()
  return found.exitCode === 0 && /^refs\/(heads|remotes)\//.test(name) ? name : null
}

async function checkBranch(repository: GitRepository, name: string): Promise<BranchState> {
  if (!(await isBranchName(repository, name)))
    return { state: 'invalid', reason: `git does not allow the name ${JSON.stringify(name)}` }
  const ref = `refs/heads/${name}`
  const above = name
    .split('/')
    .slice(0, -1)
    .map((_, at, parts) => `refs/heads/${parts.slice(0, at + 1).join('/')}`)
  const format = '--format=%(objectname) %(refname) %(symref)'
  const listing = await repository.users.text(['for-each-ref', format, ref, ...above])
  const refs = listing.split('\n').map((line) => line.split(' '))
  for (const [oid, found = '', target = ''] of refs) {
    if (found === ref && target !== '') return { state: 'invalid', reason: `${name} is a link to ${target}` }
    if (found === ref) {
      const checkedOut = (await listBranchesInUse(repository)).has(ref)
      return { state: 'exists', commit: CommitId.parse(oid), checkedOut }
    }
    if (above.includes(found) || found.startsWith(`${ref}/`)) {
      const other = found.slice('refs/heads/'.length)
      return {
        state: 'invalid',
        reason: `the branch ${other} exists, and git cannot have both ${other} and ${name}`,
      }
    }
  }
  // A branch without a commit yet can be checked out all the same.
  const isUnborn = (await listBranchesInUse(repository)).has(ref)
  return isUnborn
    ? { state: 'invalid', reason: `${name} is checked out and has no commit yet` }
    : { state: 'free' }
}

async function isBranchName({ owned }: GitRepository, name: string): Promise<boolean> {
  if (name === '' || name.includes('\0')) return false
  const checked = await owned.run(['check-ref-format', '--branch', name], { answers: [1, 128, 129] })
  return checked.exitCode === 0 && checked.stdout.toString('utf8') === `${name}\n`
}

async function moveBranch(
  repository: GitRepository,
  { branch, from, to, base }: BranchMove,
): Promise<BranchMoved> {
  const state = await checkBranch(repository, branch)
  if (state.state === 'invalid') return { moved: false, actual: null, reason: state.reason }
  const ref = `refs/heads/${branch}`
  const current = state.state === 'exists' ? state.commit : null
  if (current === to) return { moved: true }
  if (current !== from) return { moved: false, actual: current }
  if (state.state === 'exists' && state.checkedOut)
    return { moved: false, actual: current, reason: `${branch} is checked out, so it cannot be moved` }
  await copyObjects(repository, to, from === null ? [base] : [base, from])
  const reason = from === null ? 'fixpoint: created' : 'fixpoint: landed'
  if (await swapRef(repository, { ref, from, to, reason })) return { moved: true }
  return { moved: false, actual: await readRef(repository, ref) }
}

/** Files in which an unfinished rebase or bisect keeps the branch it will come back to. */
const UNFINISHED = [
  'rebase-merge/head-name',
  'rebase-apply/head-name',
  'rebase-merge/update-refs',
  'BISECT_START',
]

/** Full names of the branches that some checkout is on, or is in the middle of rebasing or bisecting. */
async function listBranchesInUse(repository: GitRepository): Promise<ReadonlySet<string>> {
  const { stdout } = await repository.users.run(['worktree', 'list', '--porcelain', '-z'])
  const lines = stdout.toString('utf8').split('\0')
  const inUse = new Set(
    lines.filter((line) => line.startsWith('branch ')).map((line) => line.slice('branch '.length)),
  )
  for (const gitDir of await listGitDirs(repository.commonDir)) {
    for (const name of UNFINISHED) {
      const content = (await readIfThere(join(gitDir, name)))?.toString('utf8') ?? ''
      for (const line of content.split('\n').filter((text) => text !== '')) {
        inUse.add(line.startsWith('refs/') ? line : `refs/heads/${line}`)
      }
    }
  }
  return inUse
}

async function listGitDirs(commonDir: string): Promise<string[]> {
  const folder = join(commonDir, 'worktrees')
  return [commonDir, ...(await namesIn(folder)).map((name) => join(folder, name))]
}
