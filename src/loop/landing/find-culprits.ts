/** The result of trying some wagons together; null when it was stopped. */
export type Tried<Red> = { readonly green: true } | { readonly green: false; readonly why: Red }
export type Try<Wagon, Red> = (wagons: readonly Wagon[]) => Promise<Tried<Red> | null>

export interface Sorted<Wagon, Red> {
  /** Tried together, and green. */
  readonly good: readonly Wagon[]
  readonly culprits: readonly { readonly wagon: Wagon; readonly why: Red }[]
}

export interface Search<Wagon, Red> {
  readonly tryTogether: Try<Wagon, Red>
  /** Wagons that the red answer points at. They only decide what is tried first, never what lands. */
  readonly suspects: (why: Red) => ReadonlySet<Wagon> | Promise<ReadonlySet<Wagon>>
}

/**
 * Finds the wagons that break the train: all are tried together, and while that is red, halving finds the shortest red
 * part, whose last wagon is a culprit. Green wagons stay; the search goes on to the right of them. Null when stopped.
 */
export async function findCulprits<Wagon, Red>(
  wagons: readonly Wagon[],
  { tryTogether, suspects }: Search<Wagon, Red>,
): Promise<Sorted<Wagon, Red> | null> {
  const culprits: { wagon: Wagon; why: Red }[] = []
  let good: readonly Wagon[] = []
  let open = wagons
  let isFirst = true
  while (open.length > 0) {
    const all = await tryTogether([...good, ...open])
    if (!all) return null
    if (all.green) return { good: [...good, ...open], culprits }
    const suspected = isFirst ? await suspects(all.why) : new Set<Wagon>()
    const rest = open.filter((wagon) => !suspected.has(wagon))
    open = [...rest, ...open.filter((wagon) => suspected.has(wagon))]
    const found = await firstCulprit(good, open, { tryTogether, why: all.why, split: rest.length })
    if (!found) return null
    const culprit = open[found.at]
    if (culprit !== undefined) culprits.push({ wagon: culprit, why: found.why })
    good = [...good, ...open.slice(0, found.at)]
    open = open.slice(found.at + 1)
    isFirst = false
  }
  return { good, culprits }
}

/** The place of the last wagon in the shortest red part of `open`; `why` is what all of it said. */
async function firstCulprit<Wagon, Red>(
  good: readonly Wagon[],
  open: readonly Wagon[],
  request: { readonly tryTogether: Try<Wagon, Red>; readonly why: Red; readonly split: number },
): Promise<{ readonly at: number; readonly why: Red } | null> {
  let { why } = request
  let green = 0
  let red = open.length
  // The first cut is between the suspects and the other wagons, where there are suspects.
  let middle = request.split < red ? request.split : Math.floor(red / 2)
  while (red - green > 1) {
    if (middle > green) {
      const part = await request.tryTogether([...good, ...open.slice(0, middle)])
      if (!part) return null
      if (part.green) green = middle
      else {
        red = middle
        why = part.why
      }
    }
    middle = Math.floor((green + red) / 2)
  }
  return { at: red - 1, why }
}
