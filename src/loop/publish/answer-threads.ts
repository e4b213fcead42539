import { threadOfReference } from '../../model/forge/forge-findings.ts'
import { inlineCode, quietLine } from '../../model/markdown-text.ts'
import type { Forge, ForgeRepository, ReviewThread } from '../ports.ts'

/** An issue whose fix was pushed. */
export interface PushedFix {
  readonly code: string
  readonly references: readonly string[]
  readonly commit: string
  readonly changes: string | null
}

export interface AnswerRequest {
  readonly fixes: readonly PushedFix[]
  readonly about: ForgeRepository
  /** Whether answered threads are resolved too. */
  readonly isResolving: boolean
}

/** Tells each thread that an issue came from which commit fixes it, once; gives the addresses of those answered now. */
export async function answerThreads(
  { fixes, about, isResolving }: AnswerRequest,
  { threads }: Pick<Forge, 'threads'>,
): Promise<readonly string[]> {
  const known = new Map<number, readonly ReviewThread[]>()
  const answered: string[] = []
  for (const fix of fixes)
    for (const reference of fix.references) {
      const named = threadOfReference(reference, about.url)
      if (!named) continue
      const all = known.get(named.pull) ?? (await threads.list(named.pull))
      known.set(named.pull, all)
      const thread = all.find(({ comments }) => comments.some(({ id }) => id === named.comment))
      if (!thread) continue
      if (!thread.comments.some(({ isOurs, body }) => isOurs && body.includes(markOf(fix)))) {
        await threads.reply(named.pull, thread.comments[0]?.id ?? named.comment, replyOf(fix))
        answered.push(reference)
      }
      if (isResolving && !thread.isResolved) await threads.resolve(thread.id)
    }
  return answered
}

const markOf = ({ commit }: PushedFix): string => `<!-- fixpoint:reply ${commit} -->`

const replyOf = (fix: PushedFix): string =>
  [
    markOf(fix),
    `Fixed in ${fix.commit} (${fix.code}).${fix.changes === null ? '' : ` ${quietLine(fix.changes)}`}`,
    `<sub>${inlineCode(`fixpoint verify ${fix.commit.slice(0, 12)}`)} checks it again.</sub>`,
  ].join('\n\n')
