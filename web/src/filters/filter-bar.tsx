import { useNavigate } from '@tanstack/react-router'
import type { PropertyCounts } from '../../../src/model/api/issues.ts'
import { formatNumber, formatWord } from '../ui/format.ts'
import {
  choose,
  chosenIn,
  classes,
  isNarrowed,
  isRare,
  severities,
  statuses,
  toggle,
  type Chosen,
  type IssueSearch,
} from './filter.ts'
import { FacetButton } from './facet-panel.tsx'
import { SearchBox } from './search-box.tsx'

interface Props {
  readonly search: IssueSearch
  /** How many issues each filter would show; undefined while they are counted. */
  readonly counts: PropertyCounts | undefined
}

/** Every filter with the number of issues that it would show; all chosen filters stand in the address. */
export function FilterBar({ search, counts }: Props) {
  const navigate = useNavigate({ from: '/r/$repositoryId/issues' })
  const chosen = chosenIn(search)
  const go = (next: IssueSearch) => void navigate({ search: next, replace: true })
  const group = (name: keyof Chosen, words: readonly string[]) => (
    <fieldset className="flex gap-1 sm:flex-wrap">
      <legend className="sr-only">{formatWord(name)}</legend>
      {words.map((word) => {
        const count = counts && (counts[name].find(({ value }) => value === word)?.count ?? 0)
        const isOn = (chosen[name] as readonly string[]).includes(word)
        if (!count && !isOn && isRare(word)) return null
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
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox
          value={search.q ?? ''}
          onChange={(q) => go({ ...withoutText(search), ...(q !== '' && { q }) })}
        />
        <select
          aria-label="Group by"
          className="rounded-md border bg-surface px-2 py-1.5 text-xs text-muted"
          value={search.group ?? ''}
          onChange={({ target }) => go(choose({ ...search, group: '' }, 'group', target.value))}
        >
          <option value="">No groups</option>
          {['rule', 'file', 'folder'].map((name) => (
            <option key={name} value={name}>
              By {name}
            </option>
          ))}
        </select>
        {counts && <FacetButton search={search} counts={counts} />}
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

const withoutText = ({ q: _q, ...rest }: IssueSearch): IssueSearch => rest

function Chip({
  word,
  count,
  isOn,
  onToggle,
}: {
  readonly word: string
  /** Unknown while the issues are counted. */
  readonly count: number | undefined
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
      <span className="text-[11px]">{count === undefined ? '…' : formatNumber(count)}</span>
    </button>
  )
}
