import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { workersQuery } from '../api/queries.ts'
import { useBadge } from '../live/use-badge.ts'
import { useListening, useStanding } from '../live/use-pulse.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { plural } from '../ui/format.ts'
import { Toasts } from '../ui/toasts.tsx'
import { Brand } from './brand.tsx'
import { CommandPalette } from './command-palette.tsx'
import { Connection } from './connection.tsx'
import { Person } from './person.tsx'
import { rememberRepository } from './recent.ts'
import { RepositorySwitch } from './repository-switch.tsx'

const pages = [
  { to: '/r/$repositoryId/issues', label: 'Issues', icon: 'issues' },
  { to: '/r/$repositoryId/sessions', label: 'Sessions', icon: 'sessions' },
  { to: '/r/$repositoryId/needs-you', label: 'Needs you', icon: 'inbox' },
  { to: '/r/$repositoryId/reviews', label: 'Reviews', icon: 'reviews' },
  { to: '/r/$repositoryId/pull-requests', label: 'Pull requests', short: 'Pulls', icon: 'pulls' },
  { to: '/r/$repositoryId/insights', label: 'Insights', icon: 'insights' },
  { to: '/r/$repositoryId/settings', label: 'Settings', icon: 'settings' },
] as const satisfies readonly Page[]

interface Page {
  readonly to: string
  readonly label: string
  /** A short form for a phone, where the whole text does not fit. */
  readonly short?: string
  readonly icon: IconName
}

/** The frame of every page: navigation at the side, or at the bottom on a phone. */
export function Shell() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId' })
  useEffect(() => rememberRepository(repositoryId), [repositoryId])
  useListening()
  useBadge()
  return (
    <div className="flex h-full flex-col-reverse md:flex-row">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-solid px-3 py-2 text-white focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <aside className="flex shrink-0 border-t bg-surface md:w-52 md:flex-col md:border-t-0 md:border-r">
        <div className="hidden flex-col gap-3 p-3 md:flex">
          <Brand className="px-2 pt-1" />
          <RepositorySwitch repositoryId={repositoryId} />
        </div>
        <Navigation repositoryId={repositoryId} />
        <WorkersLink />
        <Person className="border-t py-2 pr-2 pl-5 max-md:hidden" />
      </aside>
      <main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        <div className="flex items-center gap-3 border-b bg-surface px-4 py-1.5 md:hidden">
          <RepositorySwitch repositoryId={repositoryId} />
          <Person className="shrink-0" />
        </div>
        <Connection />
        <Outlet />
      </main>
      <Toasts />
      <CommandPalette repositoryId={repositoryId} />
    </div>
  )
}

/** Leads to the workers, if there are or can be any besides this server. */
function WorkersLink() {
  const { data } = useQuery(workersQuery)
  if (!data || (!data.shared && data.workers.length < 2)) return null
  return (
    <Link
      to="/workers"
      className="mx-3 mb-3 rounded-md px-2 py-1.5 text-muted hover:bg-sunken hover:text-fg max-md:hidden"
    >
      {plural(data.workers.length, 'worker')}
      {data.waiting > 0 && `, ${plural(data.waiting, 'session waits', 'sessions wait')}`}
    </Link>
  )
}

function Navigation({ repositoryId }: { readonly repositoryId: string }) {
  const { running, waiting } = useStanding(repositoryId)
  const counts: Readonly<Record<string, number>> = { 'Needs you': waiting, Sessions: running }
  return (
    <nav
      aria-label="Main"
      className="flex flex-1 justify-around md:flex-col md:justify-start md:gap-0.5 md:px-3"
    >
      {pages.map(({ to, label, icon, ...page }) => (
        <Link
          key={label}
          to={to}
          params={{ repositoryId }}
          className="relative flex flex-col items-center gap-0.5 rounded-md px-1 py-1.5 text-[11px] text-muted hover:text-fg aria-[current=page]:text-accent md:flex-row md:gap-2.5 md:px-2 md:text-[13px] md:hover:bg-sunken md:aria-[current=page]:bg-sunken md:aria-[current=page]:font-medium md:aria-[current=page]:text-fg"
        >
          <Icon name={icon} />
          {'short' in page ? (
            <>
              <span className="max-md:sr-only">{label}</span>
              <span aria-hidden className="md:hidden">
                {page.short}
              </span>
            </>
          ) : (
            label
          )}
          {(counts[label] ?? 0) > 0 && (
            <span
              className={`rounded-full px-1.5 text-[11px] leading-4 font-semibold max-md:absolute max-md:top-0 max-md:left-1/2 max-md:ml-1 md:ml-auto ${label === 'Needs you' ? 'bg-warn text-surface' : 'bg-sunken text-accent'}`}
            >
              {counts[label]}
              <span className="sr-only"> {label === 'Needs you' ? 'waiting' : 'running'}</span>
            </span>
          )}
        </Link>
      ))}
    </nav>
  )
}
