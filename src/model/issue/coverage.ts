import { z } from 'zod'

/** What a reviewer says it has read. */
export const Coverage = z.object({
  reviewed: z.array(z.string()).readonly(),
  partly: z.array(z.object({ file: z.string(), why: z.string() })).readonly(),
  skipped: z.array(z.object({ file: z.string(), why: z.string() })).readonly(),
  /** Files that it is not for, or was not asked about: tests, examples, files that are no program. */
  aside: z
    .array(z.object({ file: z.string(), why: z.string() }))
    .readonly()
    .optional(),
  /** How many problems it left out because a comment in the code asks so. */
  suppressed: z.number().int().optional(),
})
export type Coverage = z.infer<typeof Coverage>

/** How well one file was looked at, by the reviewer that looked best. */
export const FileCoverage = z.object({
  file: z.string(),
  state: z.enum(['reviewed', 'partly', 'skipped', 'aside']),
  why: z.string().nullable(),
})
export type FileCoverage = z.infer<typeof FileCoverage>

const order: readonly FileCoverage['state'][] = ['aside', 'skipped', 'partly', 'reviewed']

/** A reviewer's word on the files it was given; a file that it does not mention was skipped. */
export function coverageOf(files: readonly string[], coverage: Coverage | null): readonly FileCoverage[] {
  if (!coverage)
    return files.map((file) => ({ file, state: 'skipped', why: 'the reviewer did not say what it read' }))
  const reviewed = new Set(coverage.reviewed)
  const partly = new Map(coverage.partly.map(({ file, why }) => [file, why]))
  const skipped = new Map(coverage.skipped.map(({ file, why }) => [file, why]))
  const aside = new Map(coverage.aside?.map(({ file, why }) => [file, why]))
  return files.map((file) => {
    if (skipped.has(file)) return { file, state: 'skipped', why: skipped.get(file) ?? null }
    if (partly.has(file)) return { file, state: 'partly', why: partly.get(file) ?? null }
    if (aside.has(file)) return { file, state: 'aside', why: aside.get(file) ?? null }
    if (reviewed.has(file)) return { file, state: 'reviewed', why: null }
    return { file, state: 'skipped', why: 'the reviewer did not mention it' }
  })
}

/** The best that any reviewer did for each file. */
export function joinCoverage(
  files: readonly string[],
  told: readonly FileCoverage[],
): readonly FileCoverage[] {
  const best = new Map<string, FileCoverage>()
  for (const one of told) {
    const known = best.get(one.file)
    if (!known || order.indexOf(one.state) > order.indexOf(known.state)) best.set(one.file, one)
  }
  return files.map((file) => best.get(file) ?? { file, state: 'skipped', why: 'no reviewer was given it' })
}

/** Whether there is something to read and nobody looked at any of it. */
export function readsNothing(files: readonly FileCoverage[]): boolean {
  const wanted = files.filter(({ state }) => state !== 'aside')
  return wanted.length > 0 && wanted.every(({ state }) => state === 'skipped')
}

/** The percentage of the readable files that were read in full; with nothing to read, all of them. */
export function coveredPercent(files: readonly FileCoverage[]): number {
  const wanted = files.filter(({ state }) => state !== 'aside')
  if (wanted.length === 0) return 100
  const read = wanted.filter(({ state }) => state === 'reviewed')
  return Math.floor((read.length * 1000) / wanted.length) / 10
}
