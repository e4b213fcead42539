import { timedParts, type Timing } from '../../model/session/timing.ts'

const barLength = 40

/** Where the time of a session went, a bar for each part; together they are as long as the clock ran. */
export function describeTiming({ wall_ms, parts, store_ms }: Timing): string {
  const shown = timedParts.flatMap(({ name, text }) => {
    const part = parts.find((each) => each.name === name)
    return part && part.wall_ms > 0 ? [{ ...part, text }] : []
  })
  const width = Math.max(0, ...shown.map(({ text }) => text.length))
  const lines = shown.map(({ text, wall_ms: own, busy_ms: busy }) => {
    const share = wall_ms > 0 ? own / wall_ms : 0
    const bar = '█'.repeat(Math.round(share * barLength)).padEnd(barLength, '·')
    const all = busy > own * 1.05 ? ` (${seconds(busy)} side by side)` : ''
    return `${text.padEnd(width)}  ${bar} ${String(Math.round(share * 100)).padStart(3)} %  ${seconds(own)}${all}`
  })
  const store = store_ms === null ? [] : [`Inside of that, records took ${seconds(store_ms)} to be written.`]
  return [`${seconds(wall_ms)} by the clock`, ...lines, ...store].join('\n')
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
