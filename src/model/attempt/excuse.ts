/** Reasons that say nothing about the problem: true of any issue that somebody does not want to fix. */
const excuses = [
  /\bout[ -]of[ -]scope\b/i,
  /\b(?:too|overly) (?:complex|complicated|risky|large|big|much (?:work|effort))\b/i,
  /\bpre-?existing\b/i,
  /\bnot (?:a )?(?:priority|important|worth)\b/i,
  /\b(?:by|as) design(?:ed)?\b/i,
  /\b(?:low|minor) (?:priority|impact|severity)\b/i,
  /\b(?:time|effort) constraints?\b/i,
  /\b(?:future|separate|follow-?up) (?:work|pr|pull request|change|task|refactor(?:ing)?)\b/i,
]

/** The words of a weak excuse in an explanation, or null when it has none. */
export function weakExcuse(explanation: string): string | null {
  for (const excuse of excuses) {
    const found = excuse.exec(explanation)
    if (found) return found[0]
  }
  return null
}
