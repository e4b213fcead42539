import type { AttemptAt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { pathsOfFix, pathsOfNewTests } from '../../model/proof/owned-paths.ts'
import { touchedPaths, type Patch } from '../../model/proof/patch.ts'
import { pathKind } from '../../model/path-kind.ts'
import { issuesInOrder } from '../../model/session/plan.ts'
import { readTestTexts } from './judging/read-test-texts.ts'
import { testsAbout } from './judging/tests-about.ts'
import type { Verification } from '../../model/proof/verification.ts'
import { issueOf, type SessionContext } from '../context/session-context.ts'
import type { CommandsOn } from '../context/verifier.ts'

type UnfixedContext = Pick<SessionContext, 'issues' | 'recorder' | 'ports' | 'verifier' | 'endNow'>

/** Why a patch that breaks nothing does not seem to have fixed anything either. */
export interface Unfixed {
  readonly reason: string
  /** Only a person knows whether those tests are about the finding at all. */
  readonly mayBeAllowed: boolean
}

interface VerifiedPart {
  readonly patch: Patch
  readonly verification: Verification
  /** What ran, where that was not everything. */
  readonly commandsOn: CommandsOn | undefined
}

/** Null where the patch may have fixed something. */
export async function whyUnfixed(
  attempt: AttemptAt<'verifying'>,
  verified: VerifiedPart,
  context: UnfixedContext,
): Promise<Unfixed | null> {
  const issue = issueOf(context, attempt)
  const isSource = issue.file !== null && pathKind(issue.file) === 'source'
  if (isSource && !attempt.approved && !isAboutTests(issue) && pathsOfFix(verified.patch, []).length === 0)
    return {
      reason: `nothing but tests was changed, and the finding is in ${issue.file ?? ''}`,
      mayBeAllowed: false,
    }
  // A test that only the train runs was green on the base.
  if (verified.verification.status === 'not_applicable') return null
  const left = await findOwnFailures(attempt, verified, context)
  if (left.length === 0) return null
  const more = left.length > named ? ` and ${left.length - named} more` : ''
  const reason = `tests of the finding's own file are as red as before: ${left.slice(0, named).join(', ')}${more}`
  return { reason, mayBeAllowed: true }
}

const named = 5

const isAboutTests = ({ category, rule, title }: Issue): boolean =>
  [category, rule ?? '', title].some((text) => /test|coverage|assert|mock|fixture/i.test(text))

/**
 * Tests of the finding's own file that are red on the base and red with the patch. On a red base they pass as known;
 * but a fix after which they all fail as before has fixed nothing that can be seen. It is no excuse that another issue
 * of the session may be to blame: each fix turns one of the tests green that load its file, or a person looks at it.
 */
async function findOwnFailures(
  attempt: AttemptAt<'verifying'>,
  { patch, verification, commandsOn }: VerifiedPart,
  context: UnfixedContext,
): Promise<readonly string[]> {
  const { base, bundle = [] } = attempt
  const { issues, recorder, ports, verifier, endNow } = context
  const ids = bundle.map(({ issue_id }) => issue_id)
  const own = [issueOf(context, attempt), ...ids.flatMap((id) => issues.get(id) ?? [])]
  const cited = new Set(own.flatMap(({ file }) => file ?? []))
  if (cited.size === 0) return []
  const planned = issuesInOrder(recorder.session().plan).flatMap(({ file }) => file ?? [])
  const others = planned.filter((file) => !cited.has(file))
  const asked = { changed: touchedPaths(patch), signal: endNow, ...(commandsOn && { commandsOn }) }
  // Without the tests that the patch brings: they may put something right that the source does not.
  const whole = verification.restored?.tree ?? patch.tree
  const tree = await ports.composer.restore(whole, base.tree, pathsOfNewTests(patch))
  const failing = await verifier.findFailing({ ...asked, revision: { commit: base.commit, tree } })
  if (failing.length === 0) return []
  const read = {
    tests: await readTestTexts(ports.trees, base.tree),
    graph: await ports.imports.graphOf(base.tree, endNow),
  }
  const ofCited = (names: readonly string[]): readonly string[] => [
    ...new Set([...cited].flatMap((file) => testsAbout({ file, others }, names, read))),
  ]
  const left = ofCited(failing)
  if (left.length === 0) return []
  // One of them that turned green is what a fix looks like; the others may be about something else.
  const before = await verifier.findFailing({ ...asked, revision: base })
  const known = ofCited(before)
  return known.some((name) => !failing.includes(name)) ? [] : left
}

/** A passed verification, failed for this reason; so are the commands that were red as on the base. */
export function refuseUnfixed(verification: Verification, reason: string): Verification {
  const commands = verification.commands.map((command) =>
    command.exit_code === 0 ? command : { ...command, status: 'failed' as const, reason },
  )
  return { ...verification, status: 'failed', reason, commands }
}
