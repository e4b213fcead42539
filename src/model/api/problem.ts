import { z } from 'zod'

/** How every refusal of the HTTP API looks: RFC 9457, with the fault's code and what to do about it. */
export const Problem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  instance: z.string(),
  code: z.string(),
  hint: z.string(),
  /** Whether the same request may succeed later, when the obstacle is gone. */
  retryable: z.boolean(),
  /** With `already_running` and `busy`: the session that is in the way. */
  session_id: z.string().optional(),
  /** With `transition_refused`: where the issue may go instead. */
  allowed: z.array(z.string()).readonly().optional(),
})
export type Problem = z.infer<typeof Problem>
