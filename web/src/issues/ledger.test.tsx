import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { IssueView } from '../../../src/model/api/issues.ts'
import { queries } from '../api/client.ts'
import { Ledger } from './ledger.tsx'

const finding = (id: string, name: string) => ({
  id,
  source: { kind: name === 'rules' ? name : 'agent', name },
  rule: 'no-nan',
  title: `${name} says it is wrong`,
  file: 'src/price.mjs',
  line: 3,
  anchor: 'exact',
})

it('a reviewer that says the same again and again is named once, with how often', async () => {
  const findings = [finding('fin_1', 'ada'), finding('fin_2', 'bob'), finding('fin_3', 'ada')]
  const ledger = { findings, attempts: [], events: [], moves: [], related: [] }
  globalThis.fetch = async () => Response.json(ledger)
  queries.clear()
  render(
    <QueryClientProvider client={queries}>
      <Ledger issue={{ id: 'iss_1', repository_id: 'rep_1' } as IssueView} />
    </QueryClientProvider>,
  )
  expect(await screen.findAllByText('ada says it is wrong')).toHaveLength(1)
  expect(screen.getAllByText('bob says it is wrong')).toHaveLength(1)
  expect(screen.getAllByText('said 2 times')).toHaveLength(1)
  expect(screen.getByText('3 findings')).toBeDefined()
})

it('a source that is called like its kind is named once, and events speak in words', async () => {
  const event = { type: 'fix_issue_completed', timestamp: '2030-01-01T00:00:00Z', details: {} }
  const ledger = {
    findings: [finding('fin_1', 'rules')],
    attempts: [],
    events: [{ ...event, message: 'needs_agent: no rule fixes it' }],
    moves: [],
    related: [],
  }
  globalThis.fetch = async () => Response.json(ledger)
  queries.clear()
  render(
    <QueryClientProvider client={queries}>
      <Ledger issue={{ id: 'iss_2', repository_id: 'rep_1' } as IssueView} />
    </QueryClientProvider>,
  )
  await screen.findByText('Needs agent: no rule fixes it')
  expect(screen.getAllByText('rules')).toHaveLength(1)
})
