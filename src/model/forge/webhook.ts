import { z } from 'zod'
import { readCommentCommand } from './comment-command.ts'

const place = {
  /** `owner/name`. */
  repository: z
    .string()
    .max(200)
    .regex(/^[\w.-]+\/[\w.-]+$/),
  number: z.number().int().positive(),
}

/**
 * What a delivery of a forge asks for: only where to look. What is there is read from the forge itself, so that neither
 * the order of deliveries nor their age matters, and no text of theirs is kept.
 */
export const HookCall = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pull'), ...place }),
  z.object({ kind: z.literal('comment'), ...place, comment: z.number().int().positive() }),
])
export type HookCall = z.infer<typeof HookCall>

const Repository = z.object({ full_name: place.repository })
const PullEvent = z.object({
  action: z.enum(['closed', 'reopened']),
  repository: Repository,
  pull_request: z.object({ number: place.number }),
})
const CommentEvent = z.object({
  action: z.literal('created'),
  repository: Repository,
  sender: z.object({ type: z.literal('User') }),
  issue: z.object({ number: place.number, pull_request: z.object({}) }),
  comment: z.object({ id: z.number().int().positive(), body: z.string() }),
})

/** Null for everything that nothing has to be done about. */
export function readHook(event: string, payload: unknown): HookCall | null {
  if (event === 'pull_request') {
    const pull = PullEvent.safeParse(payload).data
    if (!pull) return null
    return { kind: 'pull', repository: pull.repository.full_name, number: pull.pull_request.number }
  }
  if (event !== 'issue_comment') return null
  const said = CommentEvent.safeParse(payload).data
  if (!said || readCommentCommand(said.comment.body) === null) return null
  return {
    kind: 'comment',
    repository: said.repository.full_name,
    number: said.issue.number,
    comment: said.comment.id,
  }
}

/** The pull request that a delivery is about: `owner/name#12`. */
export const placeOfCall = ({ repository, number }: HookCall): string =>
  `${repository.toLowerCase()}#${number}`
