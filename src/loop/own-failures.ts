import type { AttemptAt } from '../model/attempt.ts'
import type { Issue } from '../model/issue.ts'
import { touchedPaths, type Patch } from '../model/patch.ts'
import { isCode, pathKind } from '../model/path-kind.ts'
import { issuesInOrder } from '../model/plan.ts'
import type { Session } from '../model/session.ts'
import { testsAbout } from '../model/tests-about.ts'
import type { Verification } from '../model/verification.ts'
import type { Ports } from './ports.ts'
import { readTexts } from './read-changes.ts'
import type { Verifier } from './verify.ts'

export interface OwnFailureContext {
  readonly issue: Issue
  readonly session: () => Session
  readonly ports: Pick<Ports, 'trees'>
  readonly verifier: Pick<Verifier, 'findFailing'>
  readonly abort: AbortSignal
}

/** More files of tests than this are not read. */
const mostTestFiles = 5_000

/**
 * Tests of the finding's own file that are red on the base and red with the patch. On a red base they pass as known;
 * but a fix after which they all fail as before has fixed nothing that can be seen. Where another issue
 * of the session may be to blame, nobody knows whose they are.
 */
export async function findOwnFailures(
  { base, bundle }: AttemptAt<'verifying'>,
  patch: Patch,
  { issue: { file }, session, ports, verifier, abort }: OwnFailureContext,
): Promise<readonly string[]> {
  const files = issuesInOrder(session().plan).flatMap((planned) => planned.file ?? [])
  const others = files.filter((other) => other !== file)
  if (file === null || bundle || files.length - others.length > 1) return []
  const failing = await verifier.findFailing({
    revision: { commit: base.commit, tree: patch.tree },
    changed: touchedPaths(patch),
    signal: abort,
  })
  if (failing.length === 0) return []
  const paths = [...(await ports.trees.list(base.tree))]
  const tests = paths.filter((path) => pathKind(path) === 'test' && isCode(path)).slice(0, mostTestFiles)
  const texts = await readTexts(ports.trees, base.tree, tests)
  return testsAbout({ file, others }, failing, texts.values())
}

const named = 5

/** Fails a verification whose red commands were red before, for the tests that should have turned green. */
export function refuseOwnFailures(verification: Verification, tests: readonly string[]): Verification {
  const more = tests.length > named ? ` and ${tests.length - named} more` : ''
  const reason = `tests of the finding's own file are as red as before: ${tests.slice(0, named).join(', ')}${more}`
  const commands = verification.commands.map((command) =>
    command.exit_code === 0 ? command : { ...command, status: 'failed' as const, reason },
  )
  return { ...verification, status: 'failed', reason, commands }
}
