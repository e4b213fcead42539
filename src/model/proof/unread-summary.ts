/** Words that count tests; a linter or compiler counts errors and warnings. */
const countedWord =
  /^(?:tests?|specs?|examples?|assertions?|asserts?|scenarios?|cases?|checks?|total|ran|pass|passed|passes|passing|ok|succeeded|successful|successes)$/
// No run of letters or digits is begun in its middle, so that a long one is read once.
const pairs = /(?<!\d)(\d+)[ \t]+(?:of[ \t]+\d+[ \t]+)?([a-z]+)|(?<![a-z])([a-z]+)[ \t]*[:=][ \t]*(\d+)/gi
const lastLines = 12

/** The counts in the last lines of an output that no reader knows, by word: `4 passed, 1 failed` counts 4 by "passed". */
export function countsOfSummary(output: string): ReadonlyMap<string, number> {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const counts = new Map<string, number>()
  for (const [, before, word, named, behind] of lines.slice(-lastLines).join('\n').matchAll(pairs)) {
    const key = (word ?? named ?? '').toLowerCase()
    if (countedWord.test(key)) counts.set(key, Number(before ?? behind))
  }
  return counts
}

/**
 * Why the output of a command that exited with 0 lacks the test summary that the base printed; null where it has one,
 * or where the base counted nothing.
 */
export function missingSummary(now: string, before: string): string | null {
  const [counts, base] = [countsOfSummary(now), countsOfSummary(before)]
  if (base.size === 0) return null
  const shared = [...base.keys()].filter((word) => counts.has(word))
  if (shared.length === 0)
    return `the summary is gone that counted ${[...base.keys()].join(', ')} on the base`
  const fewer = shared.find((word) => (counts.get(word) ?? 0) < (base.get(word) ?? 0))
  return fewer === undefined
    ? null
    : `the summary counts ${counts.get(fewer) ?? 0} by "${fewer}", on the base ${base.get(fewer) ?? 0}`
}
