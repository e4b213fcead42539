import type { Revision } from '../../model/attempt/attempt.ts'
import { judgeCommit, type CommitCheck, type CommitVerdict } from '../../model/proof/commit-verdict.ts'
import type { CommitTrailers } from '../../model/proof/commit-trailers.ts'
import { gradeEvidence } from '../../model/proof/evidence.ts'
import type { EvidenceNote } from '../../model/attempt/evidence-note.ts'
import { pathKind } from '../../model/path-kind.ts'
import { approvedPaths, pathsOfBase, pathsOfFix, pathsOfNewTests } from '../../model/proof/owned-paths.ts'
import { touchedPaths, type Patch } from '../../model/proof/patch.ts'
import type { CheckCommand, Verification } from '../../model/proof/verification.ts'
import type { JudgedIssue, PatchLimits } from '../gates/gate-definition.ts'
import { readChanges } from '../gates/read-patch.ts'
import { runGates, type GateCase } from '../gates/run-gates.ts'
import type { CommitText, FileChange, Ports } from '../ports.ts'
import type { Verifier } from '../context/verifier.ts'
import { checkJudge } from './judging/can-fail.ts'
import { findBorrowedPaths } from './borrowed-paths.ts'
import { proveByHidden } from './hidden-test.ts'
import { keepOwnProof } from './own-proof.ts'
import { tieCommit } from './tie-commit.ts'
import { createVerifier } from './verify.ts'

type Needed = Pick<
  Ports,
  'trees' | 'composer' | 'checks' | 'pace' | 'imports' | 'origins' | 'inspector' | 'hash'
>

export interface LandedCommit {
  readonly revision: Revision
  readonly parent: Revision
  readonly text: CommitText
  readonly trailers: CommitTrailers
  readonly note: EvidenceNote | null
  readonly commands: readonly CheckCommand[]
  /** What the configuration lets a patch change. */
  readonly limits: Pick<PatchLimits, 'path' | 'extra' | 'reach' | 'protected'>
  /** Finds out what the fix was about from its fingerprint, where no note says it. */
  readonly identify: (parent: Revision, files: readonly string[]) => Promise<JudgedIssue | null>
  readonly signal: AbortSignal
}

interface Bench extends LandedCommit {
  readonly ports: Needed
  readonly verifier: Verifier
  readonly patch: Patch
  readonly changes: readonly FileChange[]
  readonly issue: JudgedIssue | null
  readonly approved: readonly string[]
}

/**
 * Checks a landed fix again from what the repository holds: its shape, its note, and every gate that needs no agent.
 * Each is asked, also behind one that refuses.
 */
export async function verifyCommit(request: LandedCommit, ports: Needed): Promise<CommitVerdict> {
  const { revision, parent, trailers, note } = request
  const files = await ports.trees.changes(parent.tree, revision.tree)
  const patch: Patch = { base_tree: parent.tree, tree: revision.tree, files, refused: [] }
  const verifier = createVerifier({ ...ports, commands: request.commands, base: parent })
  // A change that a person allowed then is not questioned again.
  const approved = note?.gates.flatMap(({ approved_by, paths = [] }) => (approved_by ? paths : [])) ?? []
  const named = note ?? (await request.identify(parent, touchedPaths(patch)))
  const issue = named && { ...named, line: named.line ?? null }
  const changes = await readChanges(patch, ports.trees)
  const bench: Bench = { ...request, ports, verifier, patch, changes, issue, approved }
  const tied = await tieCommit({ revision, parent, trailers, isNoted: note !== null }, ports)
  const green = await verifyTrain(await verifyTree(bench), tied.tip ?? note?.verified ?? null, bench)
  const { commands, signal } = request
  const proven = await keepOwnProof(green, { patch, signal }, ports)
  const able = await checkJudge(proven, { patch, base: parent, commands, signal }, ports)
  const verification = await addReproduction(able, bench)
  const gates = await runGates(caseOf(bench, verification), { isThorough: true })
  const checks = [
    checkShape(request),
    tied.check,
    await checkNote(bench),
    ...gates.map(({ name, status, reason }) => check(name, status, reason)),
  ]
  const [issueCode = ''] = trailers.issue_codes
  const claim = { commit: revision.commit, issueCode, claimed: trailers.evidence }
  const seen = { grade: gradeEvidence(verification, gates), isTied: tied.check.status !== 'not_evaluated' }
  return judgeCommit(claim, seen, checks)
}

function caseOf(bench: Bench, verification: Verification): GateCase {
  const { patch, changes, issue, note, parent, revision, trailers, limits, approved } = bench
  const { ports, verifier, commands, signal } = bench
  return {
    patch: {
      patch,
      base: parent,
      changes,
      issue,
      others: note?.others ?? [],
      limits: { ...limits, commands, foreign: new Set() },
      approved: { tree: revision.tree, paths: approved },
      ports,
      signal,
    },
    verified: {
      verification,
      async passed() {
        const runs = await verifier.run(revision, commands, signal)
        return runs.flatMap(({ tests }) =>
          (tests?.tests ?? []).flatMap(({ name, status }) => (status === 'passed' ? [name] : [])),
        )
      },
      minEvidence: trailers.evidence,
      claim: {
        grade: trailers.evidence,
        async namesTests() {
          const runs = await verifier.run(revision, commands, signal)
          return runs.some(({ tests }) => tests?.complete)
        },
      },
    },
  }
}

function checkShape({ text, trailers }: LandedCommit): CommitCheck {
  const subject = text.message.split('\n')[0] ?? ''
  const unnamed = trailers.issue_codes.filter((code) => !subject.includes(code))
  if (trailers.issue_codes.length === 1 && unnamed.length > 0)
    return check('shape', 'failed', `the subject does not name ${unnamed.join(', ')}`)
  if (trailers.fingerprints.length === 0) return check('shape', 'failed', 'there is no Fingerprint: trailer')
  return check(
    'shape',
    'passed',
    `one parent, ${trailers.issue_codes.join(', ')}, evidence ${trailers.evidence}`,
  )
}

async function checkNote({ note, text, trailers, revision, ports }: Bench): Promise<CommitCheck> {
  if (text.note === null)
    return check(
      'note',
      'not_applicable',
      'there is no note here, so only the trailers say what was verified (git fetch origin refs/notes/fixpoint:refs/notes/fixpoint)',
    )
  if (!note) return check('note', 'failed', 'the note cannot be read as evidence of Fixpoint')
  if (note.evidence !== trailers.evidence || !trailers.issue_codes.includes(note.issue_code ?? ''))
    return check('note', 'failed', `it speaks of ${note.issue_code} with evidence ${note.evidence}`)
  const { commit, tree } = note.verified
  if (trailers.verified_tree && trailers.verified_tree !== tree)
    return check('note', 'failed', `it says that ${tree} was verified, the trailer ${trailers.verified_tree}`)
  const tip = await ports.trees.resolve(commit)
  if (!tip) return check('note', 'not_evaluated', `the verified tip ${commit} is not here`)
  if (tip.tree !== tree)
    return check('note', 'failed', `the tree of ${commit} is not the one that was verified`)
  if (!(await ports.trees.isReached(revision.commit, commit)))
    return check('note', 'failed', `the verified tip ${commit} does not contain this commit`)
  return check('note', 'passed', `the tree of ${commit.slice(0, 10)} is the one that was verified`)
}

/** The commands with the parent's own tests and with those of the fix, as when it was made. */
async function verifyTree(bench: Bench): Promise<Verification> {
  const { revision, parent, patch, approved, verifier, signal } = bench
  return verifier.verify({
    revision,
    against: parent,
    changed: touchedPaths(patch),
    borrowed: await borrowedBy(bench),
    restore: [{ tree: parent.tree, paths: pathsOfBase(patch, approved) }],
    approved: { tree: revision.tree, paths: approvedPaths(patch, approved) },
    fix: pathsOfFix(patch, approved),
    newTests: pathsOfNewTests(patch),
    signal,
  })
}

/** The test that another agent wrote then, as the note has it; a note may name nothing but new tests. */
async function addReproduction(verification: Verification, bench: Bench): Promise<Verification> {
  const { note, parent, revision, patch, approved, commands, ports, signal } = bench
  const test = note?.reproduction
  if (!test || verification.status !== 'passed') return verification
  const taken = await ports.trees.list(revision.tree)
  const isTest = ({ path }: { readonly path: string }): boolean =>
    pathKind(path) === 'test' &&
    !taken.has(path) &&
    !path.split('/').some((part) => /^\.+(?:git)?$/i.test(part))
  if (!test.files.every(isTest))
    return {
      ...verification,
      reproduction: { status: 'failed', reason: 'the note names as a test what is none' },
    }
  const whole = verification.alone?.tree ?? revision.tree
  const tree = await ports.composer.restore(whole, parent.tree, pathsOfBase(patch, approved))
  const isJudged = verification.judge?.status === 'passed'
  const fix = pathsOfFix(patch, approved)
  const request = { tree, base: parent, fix, commands, isJudged, signal }
  return { ...verification, reproduction: await proveByHidden(test, request, ports) }
}

/** Nobody can tell which file of a commit for several issues belongs to which issue. */
async function borrowedBy(bench: Bench): Promise<readonly string[]> {
  const { patch, changes, issue, approved, trailers, commands, ports, signal } = bench
  if (trailers.issue_codes.length > 1) return []
  const cited = issue?.file ? [issue.file] : []
  return findBorrowedPaths({ patch, changes, cited, approved, commands, signal }, ports)
}

/** An inner commit of a train was verified at the train's tip only: that tip counts when the commit alone is not green. */
async function verifyTrain(
  own: Verification,
  tip: Revision | null,
  { revision, parent, patch, ports, verifier, signal }: Bench,
): Promise<Verification> {
  if (own.status === 'passed' || !tip || tip.commit === revision.commit) return own
  const here = await ports.trees.resolve(tip.commit)
  if (here?.tree !== tip.tree || !(await ports.trees.isReached(revision.commit, tip.commit))) return own
  const whole = await verifier.verify({
    revision: here,
    against: parent,
    changed: touchedPaths(patch),
    signal,
  })
  if (whole.status !== 'passed') return own
  return { ...whole, reason: `${whole.reason} at ${tip.commit.slice(0, 10)}, the tip that it landed with` }
}

const check = (name: CommitCheck['name'], status: CommitCheck['status'], reason: string): CommitCheck => ({
  name,
  status,
  reason,
})
