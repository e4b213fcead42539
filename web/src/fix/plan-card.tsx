import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import type { PlanOutcome, PlanRequest } from '../../../src/model/api/fix.ts'
import { api } from '../api/client.ts'
import { formatCost, plural } from '../ui/format.ts'
import { Button } from '../ui/button.tsx'
import { Card, Output } from '../ui/layout.tsx'
import { Shown } from '../ui/states.tsx'
import { visible } from '../ui/visible.ts'

/** The steps, the batches and, on request, the exact prompts, before anything is run. */
export function PlanCard({ request }: { readonly request: PlanRequest }) {
  const [withPrompts, setWithPrompts] = useState(false)
  const asked = useDeferredValue({ ...request, prompts: withPrompts })
  const query = useQuery({
    queryKey: ['plan', asked],
    queryFn: () => api.plan(asked),
    placeholderData: keepPreviousData,
  })
  return (
    <Card title="Plan" note={query.data && costNote(query.data)}>
      <Shown query={query}>
        {(plan) => (
          <div className="flex flex-col gap-4">
            <Steps plan={plan} />
            <Batches plan={plan} />
            {withPrompts ? (
              plan.prompts.map(({ code, prompt }) => (
                <details key={code} className="rounded-md border">
                  <summary className="px-3 py-2">
                    <span className="mr-3 font-mono text-xs">{code}</span>
                    {visible(titleOf(plan, code))}
                  </summary>
                  <div className="border-t p-2">
                    <Output label={`Prompt for ${code}`}>{prompt}</Output>
                  </div>
                </details>
              ))
            ) : (
              <div>
                <Button onClick={() => setWithPrompts(true)}>Show the prompts</Button>
              </div>
            )}
          </div>
        )}
      </Shown>
    </Card>
  )
}

const titleOf = ({ execution_steps: steps }: PlanOutcome, code: string): string =>
  steps.flatMap(({ issues }) => issues).find((issue) => issue.code === code)?.title ?? ''

const costNote = ({ estimated_cost_usd: cost }: PlanOutcome): string =>
  cost === null ? 'Cost unknown' : `About ${formatCost(cost)}`

const Steps = ({ plan }: { readonly plan: PlanOutcome }) => (
  <ol className="flex flex-col gap-2">
    {plan.execution_steps.map(({ step, issues }) => (
      <li key={step} className="flex gap-3">
        <span className="w-14 shrink-0 text-muted">Step {step}</span>
        <span className="flex min-w-0 flex-1 flex-wrap gap-1.5">
          {issues.map(({ code, title, workload }) => (
            <span
              key={code}
              title={title}
              className="rounded border bg-sunken px-1.5 font-mono text-xs leading-5"
            >
              {code} <span className="text-muted">{plural(workload, 'point')}</span>
            </span>
          ))}
        </span>
      </li>
    ))}
  </ol>
)

function Batches({ plan }: { readonly plan: PlanOutcome }) {
  if (plan.batches.length === 0) return null
  return (
    <details>
      <summary className="text-accent">{plural(plan.batches.length, 'batch', 'batches')}</summary>
      <ul className="mt-2 flex flex-col gap-1">
        {plan.batches.map(({ batch, class: name, workload, issues }) => (
          <li key={batch} className="text-muted">
            Batch {batch} · {name} · {plural(workload, 'point')} · {issues.map(({ code }) => code).join(', ')}
          </li>
        ))}
      </ul>
    </details>
  )
}
