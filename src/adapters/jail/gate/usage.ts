import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { TokenCounts } from '../../../model/agent/price.ts'

/** Hears what all answers of one run have used so far, by model. */
export type OnUsage = (byModel: ReadonlyMap<string, TokenCounts>) => void

/** Counts what the answers of a service say that they used. */
export type Meter = (answer: IncomingMessage) => void

const count = z.number().nonnegative().catch(0)

/** The three ways in which services tell it; cached tokens are part of the input for all but the first. */
const Anthropic = z
  .object({
    input_tokens: z.number(),
    cache_creation_input_tokens: count,
    cache_read_input_tokens: z.number(),
    output_tokens: count,
  })
  .transform((usage) => ({
    input: usage.input_tokens + usage.cache_creation_input_tokens,
    cachedInput: usage.cache_read_input_tokens,
    output: usage.output_tokens,
  }))
const cached = z.object({ cached_tokens: count }).catch({ cached_tokens: 0 })
const OpenAi = z
  .object({ input_tokens: count, input_tokens_details: cached, output_tokens: count })
  .transform((usage) =>
    withoutCached(usage.input_tokens, usage.input_tokens_details.cached_tokens, usage.output_tokens),
  )
const OpenAiChat = z
  .object({ prompt_tokens: z.number(), prompt_tokens_details: cached, completion_tokens: count })
  .transform((usage) =>
    withoutCached(usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, usage.completion_tokens),
  )
const Gemini = z
  .object({
    promptTokenCount: z.number(),
    cachedContentTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
  })
  .transform((usage) =>
    withoutCached(
      usage.promptTokenCount,
      usage.cachedContentTokenCount,
      usage.candidatesTokenCount + usage.thoughtsTokenCount,
    ),
  )
const Usage = z.union([Anthropic, Gemini, OpenAiChat, OpenAi])

const withoutCached = (input: number, cachedInput: number, output: number): TokenCounts => ({
  input: Math.max(0, input - cachedInput),
  cachedInput,
  output,
})

const Told = z.object({
  usage: Usage.optional().catch(undefined),
  usageMetadata: Usage.optional().catch(undefined),
  model: z.string().optional().catch(undefined),
  modelVersion: z.string().optional().catch(undefined),
})
const Message = Told.extend({
  message: Told.optional().catch(undefined),
  response: Told.optional().catch(undefined),
})

interface Spent extends TokenCounts {
  readonly model: string
}

const none: Spent = { model: '', input: 0, cachedInput: 0, output: 0 }
/** A line that is longer holds no usage that anybody would send. */
const longestLine = 8 * 1024 * 1024

/** Reads answers as they pass, and keeps nothing of them. */
export function createMeter(onUsage: OnUsage): Meter {
  const answers: Spent[] = []
  const totals = (): ReadonlyMap<string, TokenCounts> =>
    new Map([...Map.groupBy(answers, ({ model }) => model)].map(([model, own]) => [model, own.reduce(add)]))
  return (answer) => {
    const index = answers.push(none) - 1
    const hear = (line: string): void => {
      const before = answers[index] ?? none
      const after = heard(before, line)
      if (after === before) return
      answers[index] = after
      onUsage(totals())
    }
    let rest = ''
    answer.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > longestLine) rest = ''
      lines.forEach(hear)
    })
    answer.on('end', () => hear(rest))
  }
}

const add = (a: Spent, b: Spent): Spent => ({
  model: a.model,
  input: a.input + b.input,
  cachedInput: a.cachedInput + b.cachedInput,
  output: a.output + b.output,
})

/** One event of a stream, or a whole body. Of two counts of one answer the later one is never smaller. */
function heard(before: Spent, line: string): Spent {
  const text = line.replace(/^data:\s*/, '').trim()
  if (!text.startsWith('{') || !/"usage(Metadata)?"/.test(text)) return before
  const told = parse(text)
  const parts = told === null ? [] : [told, told.message, told.response]
  const usage = parts.flatMap((part) => part?.usage ?? part?.usageMetadata ?? []).at(-1)
  const model = parts.flatMap((part) => part?.model ?? part?.modelVersion ?? []).at(-1)
  if (usage === undefined) return before
  return {
    model: model ?? before.model,
    input: Math.max(before.input, usage.input),
    cachedInput: Math.max(before.cachedInput, usage.cachedInput),
    output: Math.max(before.output, usage.output),
  }
}

function parse(text: string): z.infer<typeof Message> | null {
  try {
    return Message.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null // half an answer, or none of JSON
    throw error
  }
}
