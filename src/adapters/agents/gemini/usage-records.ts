import { z } from 'zod'
import type { TokenCounts } from '../../../model/agent/price.ts'
import { parseEventLine } from '../program/event-stream.ts'
import { readPart } from '../program/plain-file.ts'
import { findConversationFile } from './conversation.ts'

const count = z.number().nonnegative().catch(0)

/** An answer of the model, as the CLI keeps it in the file of the conversation. */
const Answer = z.object({
  id: z.string(),
  timestamp: z.string(),
  type: z.literal('gemini'),
  model: z.string(),
  tokens: z.object({ input: count, output: count, cached: count, thoughts: count, total: count }),
})

/** Of a long file only the end is read: a run adds to it. */
const tailBytes = 32 * 1024 * 1024

interface RecordedUsage {
  readonly tokens: number
  readonly byModel: ReadonlyMap<string, TokenCounts>
}

/** What the answers of a conversation have used since this time, by the CLI's own records. */
export async function readRecordedUsage(
  store: string,
  id: string,
  since: Date,
): Promise<RecordedUsage | null> {
  const file = await findConversationFile(store, id)
  const text = file === null ? '' : await readPart(file, 'end', tailBytes)
  // An answer is noted down again when its tools have run.
  const answers = new Map(
    text.split('\n').flatMap((line) => {
      const answer = parseEventLine(Answer, line)
      return answer && Date.parse(answer.timestamp) >= since.getTime() ? [[answer.id, answer] as const] : []
    }),
  )
  if (answers.size === 0) return null
  const byModel = new Map<string, TokenCounts>()
  for (const { model, tokens } of answers.values()) byModel.set(model, added(byModel.get(model), tokens))
  return { tokens: [...answers.values()].reduce((sum, { tokens }) => sum + tokens.total, 0), byModel }
}

type Tokens = z.infer<typeof Answer>['tokens']

const added = (
  before: TokenCounts | undefined,
  { input, cached, output, thoughts }: Tokens,
): TokenCounts => ({
  input: (before?.input ?? 0) + Math.max(0, input - cached),
  cachedInput: (before?.cachedInput ?? 0) + cached,
  output: (before?.output ?? 0) + output + thoughts,
})
