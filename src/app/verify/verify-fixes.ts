import { languageOf } from '../../adapters/agents/rules/engine/language.ts'
import { anchorFinding, splitLines } from '../../loop/triage/anchor.ts'
import type { JudgedIssue } from '../../loop/gates/gate-definition.ts'
import type { Ports } from '../../loop/ports.ts'
import { verifyCommit } from '../../loop/proof/verify-commit.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import { parseCommitTrailers } from '../../model/proof/commit-trailers.ts'
import type { CommitVerdict } from '../../model/proof/commit-verdict.ts'
import { Fault } from '../../model/fault.ts'
import { writtenFinding } from '../../model/issue/finding.ts'
import { FindingId, ReviewId } from '../../model/id.ts'
import { parseRules } from '../../adapters/agents/rules/parse-rules.ts'
import { readRuleSetup } from '../agents/build-agents.ts'
import type { App } from '../open-app.ts'
import { recover } from '../recover.ts'
import { commandsOfNote, parseEvidenceNote } from '../../model/attempt/evidence-note.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import type { NamedCommand } from '../config/repository-commands.ts'
import { scanSources } from '../../adapters/agents/rules/scan-sources.ts'

/** A commit of Fixpoint with what it says of itself. */
export type LandedFix = Awaited<ReturnType<typeof readFix>>

/** Finds the commits; one that Fixpoint did not make is a fault that says so. */
export async function readFixes(app: App, revisions: readonly string[]): Promise<readonly LandedFix[]> {
  const ports = await app.ports()
  const fixes: LandedFix[] = []
  for (const revision of revisions) fixes.push(await readFix(revision, app, ports))
  return fixes
}

/** Without configured commands those of the notes run, which a person has to trust like any other of the repository. */
export const commandsOfNotes = (app: App, fixes: readonly LandedFix[]): readonly NamedCommand[] =>
  fixes.flatMap((fix) =>
    commandsFor(fix, app) === app.loaded.config.verify.commands
      ? []
      : commandsFor(fix, app).map(({ run }) => ({ key: 'refs/notes/fixpoint', run })),
  )

const commandsFor = ({ note }: LandedFix, { loaded }: App): readonly CheckCommand[] =>
  loaded.config.verify.commands.length > 0 || !note ? loaded.config.verify.commands : commandsOfNote(note)

export interface FixesToVerify {
  readonly fixes: readonly LandedFix[]
  readonly signal: AbortSignal
  readonly onVerdict: (verdict: CommitVerdict) => void
}

/** Checks landed fixes again, one after the other. Needs the repository and its configuration only, no session. */
export async function verifyFixes(app: App, request: FixesToVerify): Promise<readonly CommitVerdict[]> {
  const ports = await app.ports()
  await recover(app)
  const { config } = app.loaded
  const verdicts: CommitVerdict[] = []
  for (const fix of request.fixes) {
    const { fingerprints } = fix.trailers
    const verdict = await verifyCommit(
      {
        ...fix,
        commands: commandsFor(fix, app),
        limits: {
          path: config.workspace.path,
          extra: config.workspace.allowed_extra_paths,
          // A commit for several issues cites more files than one of them says.
          reach: fix.trailers.issue_codes.length > 1 ? 'repository' : config.fix.scope,
          protected: config.tamper.protected,
        },
        identify: (parent, files) => identify(app, ports, { parent, files, fingerprints }),
        signal: request.signal,
      },
      ports,
    )
    request.onVerdict(verdict)
    verdicts.push(verdict)
  }
  return verdicts
}

async function readFix(name: string, app: App, { trees }: Pick<Ports, 'trees'>) {
  const revision = await trees.resolve(name)
  if (!revision)
    throw new Fault('ref_unknown', `"${name}" names no commit in ${app.git.root}`, {
      hint: 'Give a commit, a branch or a tag: fixpoint verify fix/it~1.',
    })
  const text = await trees.readCommit(revision.commit)
  const trailers = parseCommitTrailers(text.message)
  if (!trailers)
    throw new Fault(
      'usage',
      `${revision.commit} is no commit of Fixpoint: it does not end with the trailers Issue: and Evidence:`,
      { hint: 'git log --grep "^Evidence: E" lists the commits that Fixpoint made.' },
    )
  const [first, ...more] = text.parents
  const parent = first && more.length === 0 ? await trees.resolve(first) : null
  if (!parent)
    throw new Fault(
      'usage',
      `${revision.commit} has ${text.parents.length} parents, or its parent is not here: there is nothing to compare it with`,
      { hint: 'A fix has exactly one parent. In a shallow clone: git fetch --deepen 1.' },
    )
  return { revision, parent, text, trailers, note: text.note === null ? null : parseEvidenceNote(text.note) }
}

interface Sought {
  readonly parent: Revision
  readonly files: readonly string[]
  readonly fingerprints: readonly string[]
}

/** The built-in rule whose finding on the parent has the fingerprint that the commit names. */
async function identify(
  app: App,
  { trees, hash, ids }: Pick<Ports, 'trees' | 'hash' | 'ids'>,
  { parent, files, fingerprints }: Sought,
): Promise<JudgedIssue | null> {
  const rules = parseRules(await readRuleSetup(app.loaded.config, app.git.root))
  const identity = { id: FindingId.parse(ids.next('fnd')), reviewId: ReviewId.parse(ids.next('rev')), hash }
  const sources = [...(await trees.readMany(parent.tree, files))]
    .filter(([file]) => languageOf(file) !== null)
    .map(([path, bytes]) => ({ path, text: new TextDecoder().decode(bytes) }))
  const scans = await scanSources(sources, rules, new AbortController().signal)
  for (const { path: file, text } of sources) {
    const scan = scans.get(file)
    if (!scan || scan.status === 'skipped') continue
    for (const { rule, title, line, endLine } of scan.matches) {
      const source = { kind: 'rules', name: 'rules' } as const
      const { severity } = rule
      const written = writtenFinding({
        source,
        rule: rule.id,
        title,
        severity,
        file,
        line,
        end_line: endLine,
      })
      const { fingerprint } = anchorFinding(written, splitLines(text), identity)
      if (fingerprints.includes(fingerprint))
        return { rule: rule.id, title, file, line, end_line: endLine, flagged_by: ['rules'] }
    }
  }
  return null
}
