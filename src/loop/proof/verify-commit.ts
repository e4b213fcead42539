import type { Revision } from '../../model/attempt/attempt.ts'
import { judgeCommit, type CommitCheck, type CommitVerdict } from '../../model/proof/commit-verdict.ts'
import type { CommitTrailers } from '../../model/proof/commit-trailers.ts'
import { gradeEvidence, meetsEvidence } from '../../model/proof/evidence.ts'
import type { EvidenceNote } from '../../model/attempt/evidence-note.ts'
import { approvedPaths, pathsOfBase, pathsOfFix } from '../../model/proof/owned-paths.ts'
import { touchedPaths, type Patch } from '../../model/proof/patch.ts'
import type { CheckCommand, Verification } from '../../model/proof/verification.ts'
import { originGate } from '../gates/origin.ts'
import type { CommitText, Ports, RaisedIssue } from '../ports.ts'
import type { Verifier } from '../context/verifier.ts'
import { createVerifier } from './verify.ts'

type Needed = Pick<Ports, 'trees' | 'composer' | 'checks' | 'origins'>

export interface CommitRequest {
  readonly revision: Revision
  readonly parent: Revision
  readonly text: CommitText
  readonly trailers: CommitTrailers
  readonly note: EvidenceNote | null
  readonly commands: readonly CheckCommand[]
  /** Finds out what the fix was about from its fingerprint, where no note says it. */
  readonly identify: (parent: Revision, files: readonly string[]) => Promise<RaisedIssue | null>
  readonly signal: AbortSignal
}

interface Bench extends CommitRequest {
  readonly ports: Needed
  readonly verifier: Verifier
  readonly patch: Patch
}

/** Checks a landed fix again from what the repository holds: its shape, its note, the commands, the tool that raised it, its tests. */
export async function verifyCommit(request: CommitRequest, ports: Needed): Promise<CommitVerdict> {
  const { revision, parent, trailers, commands } = request
  const files = await ports.trees.changes(parent.tree, revision.tree)
  const patch: Patch = { base_tree: parent.tree, tree: revision.tree, files, refused: [] }
  const verifier = createVerifier({ ...ports, commands, base: parent })
  const bench: Bench = { ...request, ports, verifier, patch }
  const verification = await verifyTrain(await verifyTree(bench), bench)
  const origin = await checkOrigin(bench)
  const checks = [
    checkShape(request),
    await checkNote(bench),
    check('verification', verification.status, verification.reason),
    origin,
    await checkProof(verification, bench),
  ]
  const gate = { name: 'origin', status: origin.status, reason: origin.reason } as const
  const [issueCode = ''] = trailers.issue_codes
  const claim = { commit: revision.commit, issueCode, claimed: trailers.evidence }
  return judgeCommit(claim, gradeEvidence(verification, [gate]), checks)
}

function checkShape({ text, trailers }: CommitRequest): CommitCheck {
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
    return check('note', 'not_applicable', 'there is no note here; the trailers suffice')
  if (!note) return check('note', 'failed', 'the note cannot be read as evidence of Fixpoint')
  if (note.evidence !== trailers.evidence || !trailers.issue_codes.includes(note.issue_code ?? ''))
    return check('note', 'failed', `it speaks of ${note.issue_code} with evidence ${note.evidence}`)
  const { commit, tree } = note.verified
  const tip = await ports.trees.resolve(commit)
  if (!tip) return check('note', 'not_evaluated', `the verified tip ${commit} is not here`)
  if (tip.tree !== tree)
    return check('note', 'failed', `the tree of ${commit} is not the one that was verified`)
  if (!(await ports.trees.isReached(revision.commit, commit)))
    return check('note', 'failed', `the verified tip ${commit} does not contain this commit`)
  return check('note', 'passed', `the tree of ${commit.slice(0, 10)} is the one that was verified`)
}

/** The commands with the parent's own tests and with those of the fix, as when it was made. */
function verifyTree({ revision, parent, patch, note, verifier, signal }: Bench): Promise<Verification> {
  const changed = touchedPaths(patch)
  // What a person allowed then is not asked for again.
  const allowed = note?.gates.some(({ reason }) => reason.startsWith('approved by ')) ? changed : []
  return verifier.verify({
    revision,
    against: parent,
    changed,
    restore: [{ tree: parent.tree, paths: pathsOfBase(patch, allowed) }],
    approved: { tree: revision.tree, paths: approvedPaths(patch, allowed) },
    fix: pathsOfFix(patch, allowed),
    signal,
  })
}

/** An inner commit of a train was verified at the train's tip only: that tip counts when the commit alone is not green. */
async function verifyTrain(own: Verification, bench: Bench): Promise<Verification> {
  const { revision, parent, patch, note, ports, verifier, signal } = bench
  const tip = note?.verified
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

async function checkOrigin(bench: Bench): Promise<CommitCheck> {
  const { trailers, note, parent, revision, patch, ports, signal } = bench
  const changed = touchedPaths(patch)
  const issue = note ?? (await bench.identify(parent, changed))
  if (!issue)
    return meetsEvidence(trailers.evidence, 'E2')
      ? check('origin', 'not_evaluated', 'nothing here says which tool raised it')
      : check('origin', 'not_applicable', 'no tool to run again')
  const files = [...new Set([...changed, ...(issue.file ? [issue.file] : [])])]
  const gate = await originGate(ports.origins, {
    issue: { ...issue, flagged_by: [...issue.flagged_by] },
    base: parent,
    patched: revision,
    files,
    signal,
  })
  return check('origin', gate.status, gate.reason)
}

async function checkProof(verification: Verification, bench: Bench): Promise<CommitCheck> {
  const { proof } = verification
  if (proof)
    return check('proof', 'passed', `without the fix these fail: ${proof.tests.slice(0, 5).join(', ')}`)
  if (bench.trailers.evidence !== 'E3')
    return check('proof', 'not_applicable', 'no test is claimed to prove it')
  if (bench.note?.proof?.source === 'reproduced')
    return check('proof', 'not_evaluated', 'the proving test was written apart from the fix and is not in it')
  if (verification.status !== 'passed')
    return check('proof', 'not_evaluated', 'the commands are not green, so no test can prove anything')
  const runs = await bench.verifier.run(bench.revision, bench.commands, bench.signal)
  return runs.some(({ tests }) => tests?.complete)
    ? check('proof', 'failed', 'every test passes without the fix as well')
    : check('proof', 'not_evaluated', 'the output of the commands does not name the tests')
}

const check = (name: CommitCheck['name'], status: CommitCheck['status'], reason: string): CommitCheck => ({
  name,
  status,
  reason,
})
