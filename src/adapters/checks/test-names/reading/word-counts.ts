/** Adds up counts in words, such as `1 failed, 3 passed` or `1 failed | 3 passed`. */
export function sumWordCounts(summaries: readonly string[]): (word: string) => number {
  const counts = new Map<string, number>()
  for (const part of summaries.flatMap((summary) => summary.split(/[,|]/))) {
    const [count, word = ''] = part.trim().split(' ')
    counts.set(word, (counts.get(word) ?? 0) + (Number(count) || 0))
  }
  return (word) => counts.get(word) ?? 0
}
