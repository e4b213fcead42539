/** Kept small, so that parsed values are freed early. */
const maxBytes = 64 * 1024

/** Neighbouring items of a list that lie whole in one chunk: parsed together they take half the time. */
export interface ItemBatch {
  /** Adds the next item of the list; true when the batch should be taken now. */
  add(index: number, start: number, end: number): boolean
  /** How many items wait. */
  size(): number
  /** Hands over each item: its value, or its text when the batch does not parse, for its fault to be found. */
  take(chunk: Buffer, each: (item: ParsedItem, index: number, start: number) => void): void
}

export type ParsedItem = { readonly value: unknown } | { readonly text: string }

export function createItemBatch(): ItemBatch {
  let starts: number[] = []
  let ends: number[] = []
  let first = 0
  return {
    add(index, start, end) {
      if (starts.length === 0) first = index
      starts.push(start)
      ends.push(end)
      return end - (starts[0] ?? 0) >= maxBytes
    },
    size: () => starts.length,
    take(chunk, each) {
      const [taken, takenEnds] = [starts, ends]
      starts = []
      ends = []
      const values = parseList(chunk.toString('utf8', taken[0], takenEnds.at(-1)), taken.length)
      for (const [position, start] of taken.entries()) {
        const item = values
          ? { value: values[position] }
          : { text: chunk.toString('utf8', start, takenEnds[position]) }
        each(item, first + position, start)
      }
    },
  }
}

function parseList(items: string, count: number): readonly unknown[] | null {
  try {
    const values: unknown = JSON.parse(`[${items}]`)
    return Array.isArray(values) && values.length === count ? values : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
