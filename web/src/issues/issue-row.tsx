import { memo } from 'react'
import { serverNow } from '../api/server-time.ts'
import type { Issue } from '../../../src/model/issue/issue.ts'
import { Evidence, StatusBadge } from '../ui/badge.tsx'
import { formatAgo } from '../ui/format.ts'
import { Prose } from '../ui/prose.tsx'
import { visible } from '../ui/visible.ts'

/** The rows that a click or key selects: this row, or all rows from the active row to this one. */
export type Reach = 'this one' | 'from the active one'

export const reachOf = ({ shiftKey }: { readonly shiftKey: boolean }): Reach =>
  shiftKey ? 'from the active one' : 'this one'

interface Props {
  readonly issue: Issue
  readonly index: number
  readonly top: number
  readonly height: number
  readonly isActive: boolean
  readonly isSelected: boolean
  readonly onToggle: (index: number, reach: Reach) => void
  readonly onOpen: (index: number) => void
}

/** One issue in the list: one line, or two on a phone. */
export const IssueRow = memo(function IssueRow({
  issue,
  index,
  top,
  height,
  isActive,
  isSelected,
  ...act
}: Props) {
  return (
    <div
      id={`row-${index}`}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      onClick={() => act.onOpen(index)}
      className={`absolute inset-x-0 flex cursor-pointer items-center gap-3 border-b px-4 hover:bg-sunken aria-selected:bg-sunken sm:px-6 ${isActive ? 'shadow-[inset_3px_0_0_var(--accent)]' : ''}`}
      style={{ height, transform: `translateY(${top}px)` }}
    >
      <span role="gridcell" className="flex" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${issue.code}`}
          checked={isSelected}
          onChange={({ nativeEvent }) =>
            act.onToggle(index, nativeEvent instanceof MouseEvent ? reachOf(nativeEvent) : 'this one')
          }
          className="size-4 accent-solid"
        />
      </span>
      <Cells issue={issue} />
    </div>
  )
})

/** The cells after the checkbox; on a phone, severity and code stand below the title. */
const Cells = ({
  issue: { code, title, severity, status, file, line, evidence, rule, created_at: found },
}: Pick<Props, 'issue'>) => (
  <>
    <span role="gridcell" className="hidden w-20 shrink-0 md:block">
      <StatusBadge status={severity} />
    </span>
    <span
      role="gridcell"
      className="hidden w-18 shrink-0 font-mono text-xs text-muted md:block md:@max-[34rem]/list:hidden"
    >
      {code}
    </span>
    <span role="gridcell" className="min-w-0 flex-3">
      <span
        className="font-medium wrap-anywhere max-md:line-clamp-2 max-md:leading-4.5 md:block md:truncate"
        title={visible(title)}
      >
        <Prose text={title} />
      </span>
      <span className="flex gap-3 text-xs text-muted md:hidden">
        <StatusBadge status={severity} />
        <span className="shrink-0 font-mono">{code}</span>
        <span className="truncate">{visible(file ?? rule ?? '')}</span>
      </span>
    </span>
    <span
      role="gridcell"
      className="hidden w-44 shrink-0 truncate font-mono text-xs text-muted @min-[80rem]/list:block"
      title={visible(rule ?? '')}
    >
      {visible(rule ?? '')}
    </span>
    <span
      role="gridcell"
      className="hidden min-w-0 max-w-64 flex-2 truncate text-left font-mono text-xs text-muted @min-[50rem]/list:block"
      title={visible(file ?? '')}
    >
      {file === null ? '' : `${visible(file)}${line === null ? '' : `:${line}`}`}
    </span>
    <span role="gridcell" className="hidden w-20 shrink-0 text-xs text-muted @min-[66rem]/list:block">
      {formatAgo(found, serverNow())}
    </span>
    <span
      role="gridcell"
      className="flex w-24 shrink-0 items-center justify-end gap-2 md:w-28 md:justify-start md:@max-[34rem]/list:hidden"
    >
      <StatusBadge status={status} />
      {evidence && <Evidence grade={evidence} />}
    </span>
  </>
)
