import { joinOwn, own, type Own } from '../own-text.ts'

/** One part of a prompt, with how far it may be shortened when the whole is too long. */
export interface Section {
  readonly text: Own
  /** Shortened first to last by this number; a part without it is never touched. */
  readonly giveUp?: number
  /** A shorter form that still says what matters; without one the part is left out. */
  readonly shorter?: Own
}

/** No model of the CLIs loses track within this length; the rest of a context belongs to the agent's own work. */
export const promptTokens = 60_000

/** Models count tokens in their own ways; three characters each is on the safe side for code and prose. */
const charactersPerToken = 3

export const estimateTokens = (text: string): number => Math.ceil(text.length / charactersPerToken)

/** Joins the parts, giving up the least important ones first until they fit. */
export function fitSections(sections: readonly (Section | null)[], maxTokens = promptTokens): Own {
  const kept = sections.filter((section) => section !== null)
  const join = (parts: readonly Section[]): Own =>
    joinOwn(
      parts.map(({ text }) => text).filter((text) => text !== ''),
      own`\n\n`,
    )
  const candidates = kept
    .filter((section) => section.giveUp !== undefined)
    .toSorted((a, b) => (a.giveUp ?? 0) - (b.giveUp ?? 0))
  let parts: readonly Section[] = kept
  for (const candidate of candidates) {
    if (estimateTokens(join(parts)) <= maxTokens) break
    parts = parts.map((part) => (part === candidate ? { text: candidate.shorter ?? own`` } : part))
  }
  return join(parts)
}
