import { lineCounter } from '../syntax/outline.ts'
import { type Sign, quote } from './tampering.ts'

type Bound = {
  readonly name: string
  readonly value: number
  readonly line: number
  readonly isCeiling: boolean
}

const floorNames =
  'branches|functions|lines|statements|perFile|fail[_-]under|cov-fail-under|min(?:imum)?[_-]?(?:coverage|score|msi|covered[_-]?msi)?|target|threshold|break|high|low|score|minCoverage|minimum'
const ceilingNames = 'max[_-]warnings|max[_-]complexity|max[_-]line[_-]length|complexity'
const bound = new RegExp(
  String.raw`(?<!\w)(?<!\w-)["']?(?:(${floorNames})|(${ceilingNames}))["']?(?:[ \t]*[:=][ \t]*|[ \t]+)["']?(-?\d{1,9}(?:\.\d{1,9})?)`,
  'gi',
)
const namedFloor =
  /\b(\w{0,40}(?:threshold|min_|MIN_|minimum)\w{0,40})["']?\s{0,3}[:=]\s{0,3}(-?\d{1,9}(?:\.\d{1,9})?)/gi

/** Numbers in a configuration that must not go down (or, for ceilings, up), compared in their order. */
export function loweredThresholds(before: string, after: string): readonly Sign[] {
  return compareBounds(findBounds(before, bound), findBounds(after, bound))
}

/** Named minimums in tests. */
export function loweredMinimums(before: string, after: string): readonly Sign[] {
  const [old, now] = [findBounds(before, namedFloor), findBounds(after, namedFloor)]
  return compareBounds(old, now).filter(({ what }) => !what.endsWith('removed'))
}

function findBounds(source: string, pattern: RegExp): Bound[] {
  const lineOf = lineCounter(source)
  const isCeilingPattern = pattern === bound
  return [...source.matchAll(pattern)].map((found) => {
    const ceiling = isCeilingPattern ? found[2] : undefined
    const value = Number(isCeilingPattern ? found[3] : found[2])
    const name = (ceiling ?? found[1] ?? '').toLowerCase()
    return { name, value, line: lineOf(found.index), isCeiling: ceiling !== undefined }
  })
}

function compareBounds(before: readonly Bound[], after: readonly Bound[]): Sign[] {
  const now = Map.groupBy(after, ({ name }) => name)
  return [...Map.groupBy(before, ({ name }) => name)].flatMap(([name, olds]) => {
    const news = now.get(name) ?? []
    return olds.flatMap((old, index) => boundSigns(old, news[index]))
  })
}

function boundSigns(old: Bound, now: Bound | undefined): Sign[] {
  const name = quote(old.name)
  if (!now)
    return [
      {
        kind: 'threshold_lowered',
        line: old.line,
        what: `the threshold “${name}” (${old.value}) was removed`,
      },
    ]
  const isWeaker = old.isCeiling ? now.value > old.value : now.value < old.value
  if (!isWeaker) return []
  const verb = old.isCeiling ? 'raised' : 'lowered'
  const what = `the threshold “${name}” was ${verb} from ${old.value} to ${now.value}`
  return [{ kind: 'threshold_lowered', line: now.line, what }]
}
