import { useEffect, useRef, type ReactNode } from 'react'
import { titled } from '../live/use-badge.ts'
import { Prose } from './prose.tsx'
import { visible } from './visible.ts'

/** The head of a page: its title and its actions. */
export function PageHead({
  title,
  note,
  before,
  children,
}: {
  readonly title: ReactNode
  /** The part before the title on screens without navigation at the side. */
  readonly before?: ReactNode
  readonly note?: ReactNode
  readonly children?: ReactNode
}) {
  useEffect(() => {
    const waiting = Number(/^\((\d+)\)/.exec(document.title)?.[1] ?? 0)
    document.title = titled(typeof title === 'string' ? `${title} · Fixpoint` : 'Fixpoint', waiting)
  }, [title])
  return (
    <header className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 border-b bg-surface px-4 py-2 sm:px-6">
      {before}
      <div className="mr-auto min-w-0 max-sm:flex-1 max-sm:basis-36">
        <h1
          className="text-[15px] font-semibold wrap-anywhere max-sm:line-clamp-3 sm:truncate"
          title={typeof title === 'string' ? title : undefined}
        >
          {typeof title === 'string' ? <Prose text={title} /> : title}
        </h1>
        {note && <div className="text-xs text-muted">{note}</div>}
      </div>
      {children}
    </header>
  )
}

/** The part of a page that scrolls below the head; keys scroll it too when it holds nothing else to reach. */
export const PageBody = ({ children }: { readonly children: ReactNode }) => (
  <div tabIndex={0} data-scrolls className="min-h-0 flex-1 overflow-y-auto -outline-offset-2">
    <div className="mx-auto flex max-w-6xl flex-col gap-4 p-4 sm:p-6">{children}</div>
  </div>
)

export function Card({
  title,
  note,
  children,
  padded = true,
}: {
  readonly title?: ReactNode
  readonly note?: ReactNode
  readonly children: ReactNode
  readonly padded?: boolean
}) {
  return (
    <section className="min-w-0 rounded-lg border bg-surface">
      {title !== undefined && (
        <div className="flex flex-wrap items-baseline justify-between gap-x-3 border-b px-4 py-2.5">
          <h2 className="text-[13px] font-semibold">{title}</h2>
          {note && <div className="text-xs text-muted">{note}</div>}
        </div>
      )}
      <div className={padded ? 'p-4' : ''}>{children}</div>
    </section>
  )
}

/** A value under its name: in its column, or across all columns. */
export const Fact = ({
  name,
  children,
  isWhole = false,
}: {
  readonly name: string
  readonly children: ReactNode
  readonly isWhole?: boolean
}) => (
  <div className={isWhole ? 'col-span-full' : 'min-w-0'}>
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="wrap-anywhere">{children}</dd>
  </div>
)

/** Output as a program wrote it. */
export const Output = ({ label, children }: { readonly label: string; readonly children: string }) => (
  <pre
    tabIndex={0}
    role="region"
    aria-label={label}
    className="max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs leading-4.5 whitespace-pre-wrap"
  >
    {visible(children)}
  </pre>
)

/** Text that grows while an agent works; its end stays in sight. */
export function LiveText({
  label,
  text,
  isTitled = false,
}: {
  readonly label: string
  readonly text: string
  /** The label is also shown, because no other words say whose text it is. */
  readonly isTitled?: boolean
}) {
  const ref = useRef<HTMLPreElement>(null)
  useEffect(() => {
    const box = ref.current
    if (box) box.scrollTop = box.scrollHeight
  }, [text])
  return (
    <>
      {isTitled && (
        <h3 aria-hidden className="-mb-2 text-xs font-semibold text-muted">
          {label}
        </h3>
      )}
      <pre
        ref={ref}
        tabIndex={0}
        role="log"
        aria-label={label}
        aria-live="off"
        className="max-h-72 overflow-auto rounded-md border bg-surface p-3 font-mono text-xs leading-4.5 whitespace-pre-wrap wrap-anywhere"
      >
        {visible(text)}
      </pre>
    </>
  )
}
