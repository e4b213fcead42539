import { z } from 'zod'
import { findWholeObjects, isRecord, repeatedKeys, type FoundObject } from '../json-text.ts'

const score = z.number().min(0).max(100)

export const QualityScores = z.object({
  correctness: score,
  safety: score,
  minimality: score,
  style_consistency: score,
})
export type QualityScores = z.infer<typeof QualityScores>

/** How much each of the four counts. */
export const weights: Readonly<Record<keyof QualityScores, number>> = {
  correctness: 0.4,
  safety: 0.3,
  minimality: 0.15,
  style_consistency: 0.15,
}

/** A patch that is this wrong or unsafe is refused whatever the sum is. */
export const vetoBelow = 50

const Word = z.enum(['merge', 'reject'])

/** The independent agent's scored verdict on one patch. */
export const Challenge = z.object({
  status: z.enum(['accepted', 'refused', 'not_evaluated']),
  score: score.nullable(),
  quality_scores: QualityScores.partial().nullable(),
  feedback: z.string(),
  /** What the challenger would do with the patch; absent where it did not say. */
  verdict: Word.optional(),
  improvements_needed: z.array(z.string()).readonly(),
  agent: z.string(),
  /** What all runs that led to this verdict have used. */
  tokens: z.number().int().optional(),
  cost_usd: z.number().optional(),
})
export type Challenge = z.infer<typeof Challenge>

/** Verdict of one answer for one issue, before the threshold is applied. */
export interface ReadVerdict {
  readonly score: number
  readonly quality_scores: Partial<QualityScores>
  readonly feedback: string
  readonly verdict?: z.infer<typeof Word>
  readonly improvements_needed: readonly string[]
}

// A number that is there and wrong is no missing one: an answer with such a number is not read at all.
const axis = score.optional()
const Written = z.object({
  score: score.nullish(),
  feedback: z.string().catch(''),
  quality_scores: z
    .object({
      correctness: axis,
      safety: axis,
      minimality: axis,
      style_consistency: axis,
      style: axis,
    })
    .optional(),
  verdict: z.preprocess(
    (word) => (typeof word === 'string' ? word.trim().toLowerCase() : word),
    Word.nullish(),
  ),
  improvements_needed: z.array(z.string()).catch([]),
})

const round = (value: number): number => Math.round(value * 100) / 100

/** The score that Fixpoint computes; the model's own counts only when one of the four is missing. */
export function weighScores(scores: Partial<QualityScores>, own: number | undefined): number | null {
  const complete = QualityScores.safeParse(scores)
  if (!complete.success) return own ?? null
  const axes = Object.keys(weights) as (keyof QualityScores)[]
  return round(axes.reduce((sum, name) => sum + complete.data[name] * weights[name], 0))
}

type Verdict = ReadVerdict | { readonly unreadable: string }

/** Reads a challenger's answer for exactly one issue code; anything unclear is a reason, never a score. */
export function readVerdict(text: string, code: string): Verdict {
  const answers = findWholeObjects(text).filter(({ value }) => isRecord(value['issues']))
  const last = answers.at(-1)
  if (!last) return { unreadable: 'the answer holds no JSON object with "issues"' }
  const verdict = readAnswer(last, code)
  if ('unreadable' in verdict) return verdict
  const earlier = answers.slice(0, -1).map((answer) => readAnswer(answer, code))
  const other = earlier.find((answer) => 'score' in answer && inShort(answer) !== inShort(verdict))
  return other && 'score' in other
    ? { unreadable: `the answer contradicts itself: ${inShort(other)}, then ${inShort(verdict)}` }
    : verdict
}

const inShort = ({ score, verdict }: ReadVerdict): string =>
  verdict ? `${score} (${verdict})` : String(score)

function readAnswer({ value, source }: FoundObject, code: string): Verdict {
  const twice = repeatedKeys(source)
  if (twice.length > 0) return { unreadable: `the answer says "${twice[0]}" twice in one object` }
  const issues = value['issues'] as Record<string, unknown>
  const codes = Object.keys(issues)
  if (codes.length !== 1 || codes[0] !== code)
    return { unreadable: `the answer is about ${codes.join(', ') || 'nothing'}, not about ${code}` }
  const parsed = Written.safeParse(issues[code])
  if (!parsed.success)
    return { unreadable: `the answer for ${code} has no usable score: ${whatIsWrong(parsed.error)}` }
  const { style, ...named } = parsed.data.quality_scores ?? {}
  const scores = dropUndefined({ ...named, style_consistency: named.style_consistency ?? style })
  const weighed = weighScores(scores, parsed.data.score ?? undefined)
  if (weighed === null) return { unreadable: `the answer for ${code} has no usable score` }
  return {
    score: weighed,
    quality_scores: scores,
    feedback: parsed.data.feedback,
    ...(parsed.data.verdict && { verdict: parsed.data.verdict }),
    improvements_needed: parsed.data.improvements_needed,
  }
}

const whatIsWrong = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.') || 'the entry'}: ${message}`).join('; ')

/** A veto refuses whatever the sum of the scores is. */
export const applyThreshold = (verdict: ReadVerdict, threshold: number, agent: string): Challenge => ({
  ...verdict,
  status: verdict.score >= threshold && vetoOf(verdict) === null ? 'accepted' : 'refused',
  agent,
})

/** Why a patch is refused although its score may be high enough; null without a veto. */
export function vetoOf({
  verdict,
  quality_scores: scores,
}: Pick<Challenge, 'verdict' | 'quality_scores'>): string | null {
  if (verdict === 'reject') return 'the challenger would not merge it'
  const low = (['correctness', 'safety'] as const).find((name) => (scores?.[name] ?? vetoBelow) < vetoBelow)
  return low ? `${low} is below ${vetoBelow}` : null
}

function dropUndefined(scores: Record<string, number | undefined>): Partial<QualityScores> {
  return Object.fromEntries(Object.entries(scores).filter(([, value]) => value !== undefined))
}
