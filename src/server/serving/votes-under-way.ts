interface Asked {
  /** The repository. */
  readonly id: string
  /** A number, a branch or an address. */
  readonly pull: number | string
}

/** The votes on pull requests that this process waits for. */
export interface VotesUnderWay {
  during<Value>(asked: Asked, vote: () => Promise<Value>): Promise<Value>
  has(asked: Asked): boolean
}

export function createVotesUnderWay(): VotesUnderWay {
  const asking = new Map<string, number>()
  const keyOf = ({ id, pull }: Asked): string => `${id} ${pull}`
  const change = (key: string, by: 1 | -1): void => {
    const count = (asking.get(key) ?? 0) + by
    if (count > 0) asking.set(key, count)
    else asking.delete(key)
  }
  return {
    async during(asked, vote) {
      const key = keyOf(asked)
      change(key, 1)
      try {
        return await vote()
      } finally {
        change(key, -1)
      }
    },
    has: (asked) => asking.has(keyOf(asked)),
  }
}
