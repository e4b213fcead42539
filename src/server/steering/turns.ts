/** Does one thing after the other for each key; different keys do not wait for each other. */
export function createTurns(): <Value>(key: string, work: () => Promise<Value>) => Promise<Value> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const current = before.then(work, work)
    const settled = current.then(
      () => undefined,
      () => undefined,
    )
    last.set(key, settled)
    void settled.then(() => last.get(key) === settled && last.delete(key))
    return current
  }
}
