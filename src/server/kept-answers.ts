import type { SqliteStore } from '../adapters/store/index.ts'

/** Gives the answer that is kept for a question, or reads it anew when anybody has written anything since. */
export type KeptAnswers<Answer> = (question: unknown, read: () => Promise<Answer>) => Promise<Answer>

const mostKept = 500

export function createKeptAnswers<Answer>(store: Pick<SqliteStore, 'version'>): KeptAnswers<Answer> {
  const kept = new Map<string, { readonly version: string; readonly answer: Answer }>()
  return async (question, read) => {
    const key = JSON.stringify(question)
    const version = store.version()
    const known = kept.get(key)
    if (known?.version === version) return known.answer
    const answer = await read()
    if (kept.size >= mostKept) kept.clear()
    kept.set(key, { version, answer })
    return answer
  }
}
