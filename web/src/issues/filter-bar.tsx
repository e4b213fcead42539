import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { facetsQuery } from '../api/queries.ts'
import { formatNumber, formatWord } from '../ui/format.ts'
import {
  chosenIn,
  classes,
  filterOf,
  isNarrowed,
  isRare,
  severities,
  statuses,
  toggle,
  type Chosen,
  type IssueSearch,
} from './filter.ts'
import { SearchBox } from './search-box.tsx'

interface Props {
  readonly repositoryId: string
  readonly search: IssueSearch
  /** Whether the first issues are shown already: counting all takes longer, so it waits for them. */
  readonly isListed: boolean
}

/** Every filter with how many issues it would show; all of them stand in the address. */
export function FilterBar({ repositoryId, search, isListed }: Props) {
  const navigate = useNavigate({ from: '/r/$repositoryId/issues' })
  const counted = useCounts({ repositoryId, search, isListed })
  const chosen = chosenIn(search)
  const go = (next: IssueSearch) => void navigate({ search: next, replace: true })
  const counts = countsOf(counted, chosen)
  const group = (name: keyof Chosen, words: readonly string[]) => (
    <fieldset className="flex gap-1 sm:flex-wrap">
      <legend className="sr-only">{formatWord(name)}</legend>
      {words.map((word) => {
        const count = counts(name, word)
        const isOn = (chosen[name] as readonly string[]).includes(word)
        if (count === 0 && !isOn && isRare(word)) return null
        return (
          <Chip
            key={word}
            word={name === 'class' ? word : formatWord(word)}
            count={count}
            isOn={isOn}
            onToggle={() => go(toggle(search, name, word))}
          />
        )
      })}
    </fieldset>
  )
  return (
    <div className="flex flex-col gap-2 border-b bg-surface px-4 py-2.5 sm:px-6">
      <div className="flex items-center gap-2">
        <SearchBox
          value={search.q ?? ''}
          onChange={(q) => go({ ...withoutText(search), ...(q !== '' && { q }) })}
        />
        {isNarrowed(search) && (
          <button type="button" className="text-xs text-accent hover:underline" onClick={() => go({})}>
            Clear filters
          </button>
        )}
      </div>
      <div className="relative flex gap-x-4 gap-y-2 overflow-x-auto pb-0.5 sm:flex-wrap">
        {group('status', statuses)}
        {group('severity', severities)}
        {group('class', classes)}
      </div>
    </div>
  )
}

/** How many issues there are of each class, status and severity. */
function useCounts({ repositoryId, search, isListed }: Props): readonly Counted[] {
  const { q } = filterOf(search)
  const found = useQueries({
    queries: classes.map((name) => ({
      ...facetsQuery(repositoryId, { ...(q && { q }), class: [name] }),
      enabled: isListed,
    })),
  })
  return classes.flatMap((name, at) =>
    (found[at]?.data?.pairs ?? []).map((pair) => ({ ...pair, class: name })),
  )
}

const withoutText = ({ q: _q, ...rest }: IssueSearch): IssueSearch => rest

type Counted = Readonly<Record<keyof Chosen, string>> & { readonly count: number }

/** Counts the issues that a word would show, given what is chosen in the other groups. */
const countsOf =
  (counted: readonly Counted[], chosen: Chosen) =>
  (group: keyof Chosen, word: string): number =>
    counted
      .filter(
        (one) => one[group] === word && groups.every((name) => name === group || isAmong(one, name, chosen)),
      )
      .reduce((sum, { count }) => sum + count, 0)

const groups = ['status', 'severity', 'class'] as const satisfies readonly (keyof Chosen)[]

const isAmong = (one: Counted, name: keyof Chosen, chosen: Chosen): boolean => {
  const words: readonly string[] = chosen[name]
  return words.length === 0 || words.includes(one[name])
}

function Chip({
  word,
  count,
  isOn,
  onToggle,
}: {
  readonly word: string
  readonly count: number
  readonly isOn: boolean
  readonly onToggle: () => void
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className="flex items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-xs whitespace-nowrap text-muted hover:text-fg aria-pressed:border-accent aria-pressed:text-accent"
    >
      {word}
      <span className="text-[11px]">{formatNumber(count)}</span>
    </button>
  )
}
