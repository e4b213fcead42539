import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { RoundView, type ShownRound } from './round-view.tsx'

const round: ShownRound = {
  round: 1,
  gates: [],
  verification: null,
  challenge: null,
  diff: null,
  ended: 'accepted',
  agent: 'claude',
  report: {
    outcome: 'fixed',
    files_modified: [],
    changes_summary: 's',
    explanation: 'e',
    confidence: 72,
    completeness: 'partly',
    risks: ['it may be slow'],
  },
}

it('a round shows what the fixer says of its own work', () => {
  render(<RoundView round={round} threshold={90} isOpen />)
  expect(screen.getByText('Confidence 72 of 100, completeness: partly, risks: it may be slow')).toBeTruthy()
})

it('a round says once why the checks refused it', () => {
  const reason = 'test: exit 1'
  const verification = { status: 'failed', reason, commands: [] } as unknown as ShownRound['verification']
  const gates = [{ name: 'verification', status: 'failed', reason }] as unknown as ShownRound['gates']
  render(<RoundView round={{ ...round, gates, verification }} threshold={90} isOpen />)
  expect(screen.getAllByText(reason)).toHaveLength(1)
})
