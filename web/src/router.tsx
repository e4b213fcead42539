import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type AnySchema,
} from '@tanstack/react-router'
import { readSearch } from './filters/filter.ts'
import { IssuesPage } from './issues/issues-page.tsx'
import { Home } from './shell/home.tsx'
import { NotFound, RouteError } from './shell/trouble.tsx'
import { ToSession } from './shell/to-session.tsx'
import { Shell } from './shell/shell.tsx'

type Given = Record<string, unknown>
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
const optional = <Name extends string>(given: Given, ...names: readonly Name[]) =>
  Object.fromEntries(names.flatMap((name) => (text(given[name]) ? [[name, text(given[name])]] : []))) as {
    [Key in Name]?: string
  }

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: RouteError })
const home = createRoute({ getParentRoute: () => root, path: '/', component: Home })
const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
})
const workers = createRoute({
  getParentRoute: () => root,
  path: '/workers',
  component: lazyRouteComponent(() => import('./workers/workers-page.tsx'), 'WorkersPage'),
})
const anySession = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  component: ToSession,
})
const repository = createRoute({ getParentRoute: () => root, path: '/r/$repositoryId', component: Shell })

const issues = createRoute({
  getParentRoute: () => repository,
  path: '/issues',
  validateSearch: readSearch,
  component: IssuesPage,
})
const issue = createRoute({
  getParentRoute: () => repository,
  path: '/issues/$issueId',
  component: lazyRouteComponent(() => import('./issues/issue-page.tsx'), 'IssuePage'),
})
const fix = createRoute({
  getParentRoute: () => repository,
  path: '/fix',
  validateSearch: (given: Given) => optional(given, 'issues', 'step'),
  component: lazyRouteComponent(() => import('./fix/fix-page.tsx'), 'FixPage'),
})
const sessions = createRoute({
  getParentRoute: () => repository,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./sessions/sessions-page.tsx'), 'SessionsPage'),
})
const session = createRoute({
  getParentRoute: () => repository,
  path: '/sessions/$sessionId',
  validateSearch: (given: Given) => optional(given, 'issue', 'tab'),
  component: lazyRouteComponent(() => import('./sessions/session-page.tsx'), 'SessionPage'),
})
const needsYou = createRoute({
  getParentRoute: () => repository,
  path: '/needs-you',
  component: lazyRouteComponent(() => import('./needs-you/needs-you-page.tsx'), 'NeedsYouPage'),
})
const reviews = createRoute({
  getParentRoute: () => repository,
  path: '/reviews',
  validateSearch: (given: Given) => optional(given, 'review'),
  component: lazyRouteComponent(() => import('./reviews/reviews-page.tsx'), 'ReviewsPage'),
})
const pulls = createRoute({
  getParentRoute: () => repository,
  path: '/pull-requests',
  component: lazyRouteComponent(() => import('./pulls/pulls-page.tsx'), 'PullsPage'),
})
const insights = createRoute({
  getParentRoute: () => repository,
  path: '/insights',
  validateSearch: (given: Given) => optional(given, 'days', 'from', 'to', 'behind'),
  component: lazyRouteComponent(() => import('./insights/insights-page.tsx'), 'InsightsPage'),
})
const settings = createRoute({
  getParentRoute: () => repository,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    overview,
    workers,
    anySession,
    repository.addChildren([
      issues,
      issue,
      fix,
      sessions,
      session,
      needsYou,
      reviews,
      pulls,
      insights,
      settings,
    ]),
  ]),
  defaultPreload: 'intent',
  // Every value is plain text, so that addresses stay readable, such as ?status=open,failed.
  parseSearch: (search): AnySchema => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    )
    return given.length === 0 ? '' : `?${new URLSearchParams(given).toString().replaceAll('%2C', ',')}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
