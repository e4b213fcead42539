/** Parts of a list that are short enough for one statement's parameters. */
export function* chunks<Item>(items: readonly Item[], size = 500): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
