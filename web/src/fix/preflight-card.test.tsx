import { QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import type { PreflightRequest } from '../../../src/model/api/fix.ts'
import { queries } from '../api/client.ts'
import { emptyOptions, settingsOf, type FixOptions } from './options.ts'
import { PreflightCard } from './preflight-card.tsx'

const role = (name: string, agent = 'claude') => ({
  role: name,
  name: agent,
  model: null,
  available: true,
  is_fallback: false,
})

const settings = {
  strategy: 'isolated',
  scope: 'related',
  min_evidence: 'E1',
  max_rounds: 3,
  concurrency: 4,
  threshold: 90,
  challenge: true,
  reproduce: false,
  budget_usd: null,
  path: null,
}

/** A server that uses what it is asked for, and refuses evidence that no reproducer could give. */
function answer(asked: PreflightRequest): Response {
  const reproduce = asked.reproduce ?? settings.reproduce
  if (asked.min_evidence === 'E4' && reproduce === false)
    return Response.json(
      { code: 'config_invalid', detail: 'nothing could ever land', hint: 'Ask for less.', status: 400 },
      { status: 400, headers: { 'content-type': 'application/problem+json' } },
    )
  return Response.json({
    roles: [
      role('fixer', asked.fixer ?? 'claude'),
      role('challenger'),
      role('reproducer', asked.reproducer ?? 'claude'),
    ],
    choices: ['claude', 'codex'],
    checks: [],
    base: { commit: 'a'.repeat(40), ref: 'HEAD' },
    settings: { ...settings, reproduce, strategy: asked.strategy ?? settings.strategy },
    estimated_cost_usd: null,
    estimated_ms: null,
    blocking: [],
    warnings: [],
  })
}

const chosen = { repository_id: 'rep_1', issue_ids: ['iss_1'] } as unknown as PreflightRequest
let current: FixOptions

function Page() {
  const [options, setOptions] = useState(emptyOptions)
  current = options
  const request = { ...chosen, ...settingsOf(options) }
  return <PreflightCard chosen={chosen} request={request} options={options} onChange={setOptions} />
}

function open(): void {
  globalThis.fetch = async (_input, init) =>
    answer((await new Request(location.origin, init).json()) as PreflightRequest)
  queries.clear()
  render(
    <QueryClientProvider client={queries}>
      <Page />
    </QueryClientProvider>,
  )
}

const field = (name: RegExp) => screen.findByLabelText<HTMLSelectElement>(name)
const choose = async (name: RegExp, value: string) =>
  fireEvent.change(await field(name), { target: { value } })
const firstOf = async (name: RegExp) => (await field(name)).options[0]?.textContent

it('a role that nobody has by the configuration can be given to an agent for one session', async () => {
  open()
  expect(await firstOf(/^Reproduces/)).toBe('nobody (configured)')
  await screen.findByText('no test is written beforehand')
  await choose(/^Reproduces/, 'by codex')
  expect(settingsOf(current)).toEqual({ reproducer: 'codex', reproduce: 'auto' })
  await expect.poll(() => screen.queryByText('no test is written beforehand')).toBeNull()
  await choose(/^Reproduces/, '')
  expect(settingsOf(current)).toEqual({})
})

it('what is configured keeps its name, whatever is chosen instead', async () => {
  open()
  await choose(/^Strategy/, 'sequential')
  await choose(/^Fixes/, 'codex')
  await expect.poll(() => queries.isFetching()).toBe(0)
  expect([await firstOf(/^Strategy/), await firstOf(/^Fixes/)]).toEqual(['Isolated', 'claude (configured)'])
  const strategies = [...(await field(/^Strategy/)).options].map(({ textContent }) => textContent)
  expect(strategies).toEqual(['Isolated', 'Sequential', 'Single call'])
})

it('a choice that cannot be is refused beside its field, which can be changed again', async () => {
  open()
  await choose(/^Evidence needed/, 'E4')
  await screen.findByText(/^Nothing could ever land\./)
  await choose(/^Evidence needed/, '')
  await expect.poll(() => screen.queryByText(/^Nothing could ever land\./)).toBeNull()
})
