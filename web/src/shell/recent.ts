const key = 'fixpoint.repository'

/** The repository that the person looked at last, if the browser remembers it. */
export function recentRepository(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null // storage is switched off
  }
}

export function rememberRepository(id: string): void {
  try {
    localStorage.setItem(key, id)
  } catch {
    return // storage is switched off
  }
}
