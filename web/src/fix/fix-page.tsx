import { useMutation, useQueries } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { IssueId, RepositoryId } from '../../../src/model/id.ts'
import { api } from '../api/client.ts'
import { issueQuery } from '../api/queries.ts'
import { plural } from '../ui/format.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { ChosenIssues } from './chosen-issues.tsx'
import { ClarifyCard } from './clarify-card.tsx'
import { OptionsCard } from './options-card.tsx'
import { emptyOptions, isComplete, requestOf, settingsOf, type FixOptions } from './options.ts'
import { PlanCard } from './plan-card.tsx'
import { PreflightCard } from './preflight-card.tsx'
import { StartProblem, type StartMode } from './start-problem.tsx'
import { TrustNotice } from './trust-notice.tsx'
import { useDraft } from './use-draft.ts'

/** Leads from chosen issues to a session: questions, options, a look at the plan, start. */
export function FixPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/fix' })
  const { issues: listed = '' } = useSearch({ from: '/r/$repositoryId/fix' })
  const ids = listed.split(',').filter(Boolean) as IssueId[]
  const queries = useQueries({ queries: ids.map((id) => issueQuery(id)) })
  const navigate = useNavigate({ from: '/r/$repositoryId/fix' })
  const key = `fixpoint.fix.${repositoryId}.${listed}`
  const [options, setOptions, forgetOptions] = useDraft<FixOptions>(key, emptyOptions)
  const [{ asking }, setAsking] = useDraft<{ asking: string | null }>(`${key}.asking`, { asking: null })
  const chosen = { repository_id: repositoryId as RepositoryId, issue_ids: ids }
  const request = {
    ...chosen,
    ...requestOf(options),
    ...settingsOf(options),
    ...branchOf(options),
    ...(asking !== null && { clarify_session_id: asking }),
  }
  const start = useStart(request, forgetOptions)
  if (ids.length === 0) return <NothingChosen repositoryId={repositoryId} />
  const failed = queries.find(({ isError }) => isError)
  if (failed) return <Failure error={failed.error} onRetry={() => void failed.refetch()} />
  const issues = queries.flatMap(({ data }) => data ?? [])
  if (issues.length < ids.length) return <Loading />
  const { strategy } = settingsOf(options)
  const keep = (next: readonly string[]) =>
    void navigate({ search: { issues: next.join(',') }, replace: true })
  return (
    <>
      <PageHead
        title={`Fix ${plural(issues.length, 'issue')}`}
        note="Nothing happens before you start the session."
      >
        <Button
          look="primary"
          disabled={start.isPending || !isComplete(options)}
          onClick={() => start.mutate({})}
        >
          {start.isPending ? 'Starting…' : 'Start fixing'}
        </Button>
      </PageHead>
      <PageBody>
        <StartProblem start={start} repositoryId={repositoryId} />
        <TrustNotice repositoryId={repositoryId} />
        <ChosenIssues issues={issues} onKeep={keep} />
        <PreflightCard
          chosen={chosen}
          request={{ ...chosen, ...requestOf(options), ...settingsOf(options) }}
          options={options}
          onChange={setOptions}
        />
        <ClarifyCard chosen={chosen} draftKey={key} onAsking={(id) => setAsking({ asking: id })} />
        <OptionsCard options={options} onChange={setOptions} />
        <PlanCard
          request={{ ...chosen, ...requestOf(options), ...(strategy !== undefined && { strategy }) }}
        />
      </PageBody>
    </>
  )
}

/** Starts a session and shows it, unless the same session was completed before. */
function useStart(request: Parameters<typeof api.start>[0], onStarted: () => void) {
  const navigate = useNavigate()
  return useMutation({
    meta: { leavesPage: true },
    mutationFn: (mode: StartMode) => api.start({ ...request, ...mode }),
    onSuccess: ({ session_id, earlier }) => {
      if (earlier) return undefined
      onStarted()
      return navigate({
        to: '/r/$repositoryId/sessions/$sessionId',
        params: { repositoryId: request.repository_id, sessionId: session_id },
      })
    },
  })
}

const branchOf = ({ branch, useExisting }: FixOptions) => ({
  ...(branch !== '' && { branch, use_existing_branch: useExisting }),
})

const NothingChosen = ({ repositoryId }: { readonly repositoryId: string }) => (
  <Empty title="No issue is chosen">
    <p className="mb-3">Select the issues to fix in the list.</p>
    <Link to="/r/$repositoryId/issues" params={{ repositoryId }} className={buttonClass('plain')}>
      Go to the issues
    </Link>
  </Empty>
)
