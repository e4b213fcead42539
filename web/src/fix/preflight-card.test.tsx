import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { queries } from '../api/client.ts'
import { emptyOptions } from './options.ts'
import { PreflightCard } from './preflight-card.tsx'

const role = (name: string) => ({
  role: name,
  name: 'claude',
  model: null,
  available: true,
  is_fallback: false,
})

it('a role that the configuration switches off is nobody, and cannot be given to an agent in vain', async () => {
  const outcome = {
    roles: [role('fixer'), role('challenger'), role('reproducer')],
    choices: ['claude'],
    checks: [],
    settings: {
      strategy: 'isolated',
      scope: 'related',
      min_evidence: 'E1',
      max_rounds: 3,
      concurrency: 4,
      challenge: true,
      reproduce: false,
      budget_usd: null,
      path: null,
    },
    estimated_cost_usd: null,
    estimated_ms: null,
    blocking: [],
    warnings: [],
  }
  globalThis.fetch = async () => Response.json(outcome)
  queries.clear()
  const request = { repository_id: 'rep_1', issue_ids: ['iss_1'] } as unknown as Parameters<
    typeof PreflightCard
  >[0]['request']
  render(
    <QueryClientProvider client={queries}>
      <PreflightCard request={request} options={emptyOptions} onChange={() => undefined} />
    </QueryClientProvider>,
  )
  const reproduces = await screen.findByLabelText<HTMLSelectElement>(/^Reproduces/)
  expect([reproduces.disabled, reproduces.value]).toEqual([true, 'nobody'])
  expect(screen.getByLabelText<HTMLSelectElement>(/^Challenges/).disabled).toBe(false)
  expect(screen.getByText('switched off in the configuration')).toBeTruthy()
})
