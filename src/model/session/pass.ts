import { z } from 'zod'

/** One round of fixing and looking again at what the fixes changed. */
export const Pass = z.object({
  pass: z.number().int(),
  session_id: z.string(),
  fixed: z.number().int(),
  /** How well the changes of the fixes were reviewed: `none` where nothing landed, `not_needed` where nothing had to. */
  review: z.enum(['complete', 'partial', 'none', 'not_needed']),
  /** Codes of earlier issues that the review found again, but for those that were dismissed. */
  confirmed: z.array(z.string()).readonly(),
  /** Codes of earlier issues of these files that it did not find any more. */
  denied: z.array(z.string()).readonly(),
  /** Codes of new issues in code that was there before. */
  latent: z.array(z.string()).readonly(),
  /** Codes of new issues in lines that the fixes wrote. */
  fix_induced: z.array(z.string()).readonly(),
  /** New problems that the fixes made, per fix. */
  induced_ratio: z.number().nullable(),
})
export type Pass = z.infer<typeof Pass>

export type Convergence =
  | { readonly over: false }
  | { readonly over: true; readonly isClean: boolean; readonly reason: string }

/** Whether another pass is worth it; when not, why. A cap alone is no rule: it must also get better. */
export function judgePasses(passes: readonly Pass[], maxPasses: number): Convergence {
  const last = passes.at(-1)
  if (!last) return { over: false }
  const found = last.latent.length + last.fix_induced.length
  if (found === 0) return { over: true, ...judgeSilence(last) }
  if (last.fixed === 0)
    return {
      over: true,
      isClean: false,
      reason: `plateau: pass ${last.pass} landed nothing, ${found} new found`,
    }
  if (last.fix_induced.length >= last.fixed)
    return {
      over: true,
      isClean: false,
      reason: `the fixes of pass ${last.pass} made as many problems (${last.fix_induced.length}) as they removed (${last.fixed})`,
    }
  const before = passes.at(-2)
  if (before && found >= before.latent.length + before.fix_induced.length)
    return {
      over: true,
      isClean: false,
      reason: `plateau: pass ${last.pass} found ${found} new problems, no fewer than the pass before`,
    }
  if (passes.length >= maxPasses)
    return {
      over: true,
      isClean: false,
      reason: `${maxPasses} passes are done and ${found} new problems are left`,
    }
  return { over: false }
}

/** Nothing new was found: that means something only where somebody looked, and nothing old was found again. */
function judgeSilence({ pass, review, confirmed }: Pass): {
  readonly isClean: boolean
  readonly reason: string
} {
  if (review === 'none')
    return { isClean: false, reason: `nothing landed in pass ${pass}, so there was nothing to look at again` }
  if (review === 'not_needed') return { isClean: true, reason: 'clean: nothing had to be changed' }
  if (confirmed.length > 0)
    return {
      isClean: false,
      reason: `the review of pass ${pass} found nothing new, but found again: ${confirmed.join(', ')}`,
    }
  if (review === 'partial')
    return { isClean: false, reason: `nothing new was found, but pass ${pass} was only partly reviewed` }
  return { isClean: true, reason: `clean: the review of pass ${pass} found nothing new` }
}
