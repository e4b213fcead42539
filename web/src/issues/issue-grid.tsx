import { useNavigate, useParams } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState, type RefObject } from 'react'
import type { Issue } from '../../../src/model/issue/issue.ts'
import { useNarrow } from '../ui/use-narrow.ts'
import { useStable } from '../ui/use-stable.ts'
import { IssueRow, reachOf, type Reach } from './issue-row.tsx'

interface Props {
  readonly issues: readonly Issue[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (next: ReadonlySet<string>) => void
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly onLoadMore: () => void
  /** Shows the issue beside the list, or nothing. */
  readonly onPreview: (issue: Issue | null) => void
}

/** The next page is requested when this many rows are left below. */
const rowsAhead = 60

/** A list of any length: only the rows in sight are in the page. Arrows move, space selects, enter opens. */
export function IssueGrid(props: Props) {
  const { issues, selected, hasMore, isLoadingMore } = props
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useRows(scroller, props)
  const { active, toggle, open, onKey } = useRowActions(rows, props)
  usePageKeys(onKey, scroller)
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label="Issues"
      aria-multiselectable
      aria-rowcount={hasMore ? -1 : issues.length}
      aria-activedescendant={`row-${active}`}
      tabIndex={0}
      className="group min-h-0 flex-1 overflow-y-auto bg-surface focus-visible:outline-none"
    >
      <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, size }) => {
          const issue = issues[index]
          return issue ? (
            <IssueRow
              key={issue.id}
              issue={issue}
              index={index}
              top={start}
              height={size}
              isActive={index === active}
              isSelected={selected.has(issue.id)}
              onToggle={toggle}
              onOpen={open}
            />
          ) : null
        })}
      </div>
      {isLoadingMore && (
        <p role="status" className="p-3 text-center text-muted">
          Loading more…
        </p>
      )}
    </div>
  )
}

type Rows = ReturnType<typeof useRows>

/** The rows in sight; the next page is requested before the last row comes into sight. */
function useRows(
  scroller: RefObject<HTMLDivElement | null>,
  { issues, hasMore, isLoadingMore, onLoadMore }: Props,
) {
  const isNarrow = useNarrow()
  const rows = useVirtualizer({
    count: issues.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? 66 : 42),
    overscan: 12,
    getItemKey: (index) => issues[index]?.id ?? index,
  })
  const lastShown = rows.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => rows.measure(), [rows, isNarrow])
  useEffect(() => {
    if (hasMore && !isLoadingMore && lastShown > issues.length - rowsAhead) onLoadMore()
  }, [hasMore, isLoadingMore, lastShown, issues.length, onLoadMore])
  return rows
}

/** The row that the keys act on, and the effects of mouse and keys on rows. */
function useRowActions(rows: Rows, { issues, selected, onSelect, onPreview }: Props) {
  const [active, setActive] = useState(0)
  const { repositoryId } = useParams({ from: '/r/$repositoryId/issues' })
  const navigate = useNavigate()
  const toggle = useStable((index: number, reach: Reach) => {
    const issue = issues[index]
    if (!issue) return
    const next = new Set(selected)
    if (reach === 'from the active one')
      for (const { id } of issues.slice(Math.min(active, index), Math.max(active, index) + 1)) next.add(id)
    else if (!next.delete(issue.id)) next.add(issue.id)
    onSelect(next)
    setActive(index)
  })
  const open = useStable((index: number) => {
    const issue = issues[index]
    if (issue)
      void navigate({ to: '/r/$repositoryId/issues/$issueId', params: { repositoryId, issueId: issue.id } })
  })
  const onKey = useStable((event: KeyboardEvent) => {
    const act = keys[event.key]
    if (!act || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    if (act === 'open') return open(active)
    if (act === 'toggle') return toggle(active, reachOf(event))
    if (act === 'preview') return onPreview(issues[active] ?? null)
    if (act === 'close') return onPreview(null)
    const next = Math.min(issues.length - 1, Math.max(0, act(active, issues.length)))
    setActive(next)
    rows.scrollToIndex(next)
  })
  return { active, toggle, open, onKey }
}

const pressing = ['Enter', ' ']
const scrolling = ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', ' ']

/** The keys that the element in focus uses itself; a field uses all of them. */
function usesKey(at: Element, key: string): boolean {
  if (at.closest('select,textarea,dialog,input:not([type="checkbox"])')) return true
  if (at.closest('button,a,input')) return pressing.includes(key)
  return at.closest('[tabindex="0"]') !== null && scrolling.includes(key)
}

/** Keys work wherever the focus is on the page, except those that the element in focus uses itself. */
function usePageKeys(
  onKey: (event: KeyboardEvent) => void,
  scroller: RefObject<HTMLDivElement | null>,
): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const at = event.target instanceof HTMLElement ? event.target : document.body
      const isHere = scroller.current?.contains(at) ?? false
      if ((!isHere && usesKey(at, event.key)) || document.querySelector('dialog[open]')) return
      onKey(event)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [onKey, scroller])
}

type Move = (index: number, count: number) => number

const keys: Readonly<Record<string, Move | 'open' | 'toggle' | 'preview' | 'close'>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  j: (index) => index + 1,
  k: (index) => index - 1,
  PageDown: (index) => index + 20,
  PageUp: (index) => index - 20,
  Home: () => 0,
  End: (_index, count) => count - 1,
  Enter: 'open',
  ' ': 'toggle',
  x: 'toggle',
  p: 'preview',
  Escape: 'close',
}
