import { useQuery } from '@tanstack/react-query'
import type { PreflightOutcome, PreflightRequest } from '../../../src/model/api/fix.ts'
import { api } from '../api/client.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { formatCost, formatDuration } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'
import { Problem, Shown } from '../ui/states.tsx'
import { useRested } from './use-rested.ts'
import { AgentFields } from './agent-fields.tsx'
import { LimitFields } from './limit-fields.tsx'
import type { FixOptions } from './options.ts'

interface Props {
  /** The chosen issues alone: what the configuration would do with them. */
  readonly chosen: PreflightRequest
  /** The chosen issues with the options of the person. */
  readonly request: PreflightRequest
  readonly options: FixOptions
  readonly onChange: (next: FixOptions) => void
}

/** A pause of typing after which the server is asked again. */
const restMs = 300

/** The agents that would fix and judge, the checks and limits, and the possible cost, all shown before anything begins. */
export function PreflightCard({ chosen, request, options, onChange }: Props) {
  const asked = useRested(request, restMs)
  const configured = useQuery(preflightQuery(chosen))
  const query = useQuery({
    ...preflightQuery(asked),
    placeholderData: (before: PreflightOutcome | undefined) => before,
  })
  return (
    <Card title="Before it begins" note={query.data && <Estimate outcome={query.data} />}>
      <Shown query={configured} rows={4}>
        {(base) => {
          // What cannot be tried is refused; the fields stay, so that it can be changed again.
          const outcome = query.data ?? base
          const given = { configured: base, outcome, options, onChange }
          return (
            <div className="flex flex-col gap-5">
              <Obstacles outcome={outcome} />
              <Problem error={query.error} />
              <AgentFields {...given} />
              <LimitFields {...given} />
              <Checks request={asked} outcome={outcome} />
            </div>
          )
        }}
      </Shown>
    </Card>
  )
}

const preflightQuery = (request: PreflightRequest) => ({
  queryKey: ['preflight', request],
  queryFn: () => api.preflight(request),
  staleTime: 60_000,
})

function Estimate({ outcome }: { readonly outcome: PreflightOutcome }) {
  const { estimated_cost_usd: cost, estimated_ms: ms } = outcome
  if (cost === null && ms === null) return <>No earlier session to estimate from</>
  return (
    <>
      {[
        cost === null ? 'Cost unknown' : `About ${formatCost(cost)}`,
        ms !== null && `about ${formatDuration(Math.max(1_000, ms))}`,
      ]
        .filter(Boolean)
        .join(', ')}
      , judging by earlier sessions
    </>
  )
}

const Obstacles = ({ outcome: { blocking, warnings } }: { readonly outcome: PreflightOutcome }) => (
  <ul className="flex flex-col gap-1 empty:hidden">
    {blocking.map((text) => (
      <li key={text} role="alert" className="text-bad wrap-anywhere">
        {text}
      </li>
    ))}
    {warnings.map((text) => (
      <li key={text} className="text-warn wrap-anywhere">
        {text}
      </li>
    ))}
  </ul>
)

const tones: Readonly<Record<PreflightOutcome['checks'][number]['status'], Tone>> = {
  green: 'ok',
  red: 'warn',
  unusable: 'bad',
  unknown: 'muted',
}

const said: Readonly<Record<PreflightOutcome['checks'][number]['status'], string>> = {
  green: 'Green on the base',
  red: 'Red on the base',
  unusable: 'Can judge nothing',
  unknown: 'Not tried yet',
}

/** The checks that decide; on request they run on the base, as they do in a session before any agent begins. */
function Checks({
  request,
  outcome,
}: {
  readonly request: PreflightRequest
  readonly outcome: PreflightOutcome
}) {
  const run = useQuery({
    queryKey: ['preflight', request, 'run'],
    queryFn: () => api.preflight({ ...request, run: true }),
    enabled: false,
    retry: false,
  })
  const checks = run.data?.checks ?? outcome.checks
  return (
    <section aria-label="Checks" className="flex flex-col gap-2">
      <div className="flex items-center gap-3">
        <h3 className="mr-auto text-xs font-semibold text-muted">Checks</h3>
        {checks.length > 0 && (
          <Button disabled={run.isFetching} onClick={() => void run.refetch()}>
            {run.isFetching ? 'Running the checks…' : 'Run the checks now'}
          </Button>
        )}
      </div>
      {checks.length === 0 && <p className="text-warn">None is configured.</p>}
      <ul className="flex flex-col gap-1">
        {checks.map(({ name, run: line, status, duration_ms: ms, reason }) => (
          <li key={name} className="flex flex-wrap items-baseline gap-x-3">
            <span className="w-24 font-medium">{name}</span>
            <Badge tone={tones[status]}>{said[status]}</Badge>
            {ms !== null && <span className="text-xs text-muted">{formatDuration(ms)}</span>}
            <code className="min-w-0 truncate font-mono text-xs text-muted">{line}</code>
            {reason !== null && <span className="basis-full text-warn wrap-anywhere">{reason}</span>}
          </li>
        ))}
      </ul>
      {run.error && (
        <p role="alert" className="text-bad">
          {run.error.message}
        </p>
      )}
    </section>
  )
}
