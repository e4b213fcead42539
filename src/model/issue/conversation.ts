import { z } from 'zod'

/** A conversation that the fixer can continue. */
export const Conversation = z.object({ agent: z.string(), id: z.string() })
export type Conversation = z.infer<typeof Conversation>

interface Spoken {
  readonly conversation?: Conversation | undefined
}

/** The conversation that was the last one about each of the issues; null when there is none, or more than one. */
export function sharedConversation(issues: readonly Spoken[]): Conversation | null {
  const [first, ...others] = issues.map(({ conversation }) => conversation)
  const isSame = others.every((other) => other?.id === first?.id && other?.agent === first?.agent)
  return (isSame && first) || null
}
