/** Time that passes only when everybody waits. */
export interface VirtualTime {
  now(): number
  sleep(ms: number): Promise<void>
  /** Lets time pass until nobody waits any more. */
  run(): Promise<void>
}

/** Sleepers whose times are this close together wake together. */
const stepMs = 250

export function createVirtualTime(): VirtualTime {
  let now = 0
  const steps = new Map<number, (() => void)[]>()
  const heap: number[] = []
  return {
    now: () => now,
    sleep: (ms) =>
      new Promise((resolve) => {
        const at = Math.ceil((now + ms) / stepMs)
        const sleepers = steps.get(at)
        if (sleepers) return void sleepers.push(resolve)
        steps.set(at, [resolve])
        push(heap, at)
      }),
    async run() {
      await idle()
      for (let at = pop(heap); at !== undefined; at = pop(heap)) {
        now = at * stepMs
        const sleepers = steps.get(at) ?? []
        steps.delete(at)
        for (const wake of sleepers) wake()
        await idle()
      }
    },
  }
}

/** Resolves once everything that was woken has gone on as far as it can. */
const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function push(heap: number[], value: number): void {
  let index = heap.push(value) - 1
  while (index > 0) {
    const parent = (index - 1) >> 1
    if ((heap[parent] ?? 0) <= value) break
    heap[index] = heap[parent] ?? 0
    index = parent
  }
  heap[index] = value
}

function pop(heap: number[]): number | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (heap.length === 0 || last === undefined) return first
  let index = 0
  for (;;) {
    let child = 2 * index + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1
    if ((heap[child] ?? 0) >= last) break
    heap[index] = heap[child] ?? 0
    index = child
  }
  heap[index] = last
  return first
}
