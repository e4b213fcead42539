import { nothingSpent } from '../../model/attempt/spending.ts'
import { coverageOf, joinCoverage } from '../../model/issue/coverage.ts'
import { KeptAnswer, type PartAnswer, type Review } from '../../model/issue/review.ts'
import type { ReviewId } from '../../model/id.ts'
import type { Ports } from '../ports.ts'
import type { ReviewerCall } from './ask-reviewer.ts'
import { joinAnswers, reviewStateOf, type JoinedAnswers } from './join-answers.ts'

const ending = '-kept.json'

/** Writes an answer down as soon as there is one: issues are made of all of them at the end, which may never come. */
export const keepAnswer = (
  { id, name }: { readonly id: ReviewId; readonly name: string },
  kept: KeptAnswer,
  { artifacts }: Pick<Ports, 'artifacts'>,
): Promise<void> => artifacts.write(id, `${name}${ending}`, JSON.stringify(kept))

/** What a reviewer said of this very part before its process ended; null when it has to be asked. */
export async function readKept(
  { id, workspaceId: name, reviewer, parts, shard }: ReviewerCall,
  { artifacts }: Pick<Ports, 'artifacts'>,
): Promise<PartAnswer | null> {
  const text = await artifacts.read(id, `${name}${ending}`)
  const kept = text === null ? null : KeptAnswer.parse(JSON.parse(text))
  if (!kept || 'result' in kept || 'failed' in kept.answer) return null
  const isSame = kept.agent === reviewer.agent.name && kept.parts === parts && isSameList(kept.files, shard)
  return isSame ? kept.answer : null
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path, index) => path === b[index])

/** What a review came to whose process died: its reviewers' answers until then. */
export async function readLeftReview(
  record: Omit<Review, 'running'>,
  { artifacts }: Pick<Ports, 'artifacts'>,
): Promise<Pick<JoinedAnswers, 'findings'> & { readonly review: Review }> {
  const kept: KeptAnswer[] = []
  for (const name of (await artifacts.list(record.id)).filter((one) => one.endsWith(ending))) {
    const text = await artifacts.read(record.id, name)
    if (text !== null) kept.push(KeptAnswer.parse(JSON.parse(text)))
  }
  const parts = kept.flatMap((one) => ('answer' in one ? one : []))
  const joined = record.reviewers.map((reviewer) => joinKept(reviewer, kept))
  const read = parts.flatMap(({ answer, files }) =>
    'failed' in answer ? [] : coverageOf(files, answer.coverage),
  )
  const files = [...new Set(parts.flatMap((part) => part.files))]
  const reviewers = joined.map(({ result }) => result)
  return {
    review: {
      ...record,
      state: reviewStateOf(reviewers, { isUnread: false }),
      reviewers,
      ...(files.length > 0 && { coverage: joinCoverage(files, read) }),
    },
    findings: joined.flatMap(({ findings }) => findings),
  }
}

/** One reviewer's answers; the parts that it was not done with count as failed, as the record says. */
function joinKept(result: Review['reviewers'][number], kept: readonly KeptAnswer[]): JoinedAnswers {
  const { agent, reason } = result
  const scanned = kept.find((one) => 'result' in one && one.result.agent === agent)
  if (scanned && 'result' in scanned) return scanned
  const own = kept.flatMap((one) => ('answer' in one && one.agent === agent ? one : []))
  const [first] = own
  if (!first) return { result, findings: [] }
  const undone: PartAnswer = { failed: reason ?? '', files: [], spent: nothingSpent }
  const missing = Array.from({ length: first.parts - own.length }, () => undone)
  return joinAnswers(agent, [...own.map(({ answer }) => answer), ...missing])
}
