import { expect, test } from 'vitest'
import { composeConfig } from './compose-config.ts'
import { builtInAgents } from '../../adapters/agents/index.ts'
import { defaultAgents } from './default-agents.ts'

test.each<[string[], string | null, object | null]>([
  [[], null, null],
  [['claude'], null, { fixer: 'claude', challenger: 'claude', reviewers: ['claude'] }],
  [['gemini'], null, { fixer: 'gemini', challenger: 'gemini', reviewers: ['gemini'] }],
  [['claude', 'gemini'], null, { fixer: 'claude', challenger: 'gemini', reviewers: ['claude', 'gemini'] }],
  [['claude', 'codex'], null, { fixer: 'claude', challenger: 'codex', reviewers: ['claude', 'codex'] }],
  [['gemini', 'codex'], null, { fixer: 'codex', challenger: 'gemini', reviewers: ['gemini', 'codex'] }],
  [
    ['claude', 'gemini', 'codex'],
    null,
    { fixer: 'claude', challenger: { use: 'gemini', fallback: ['codex'] }, reviewers: ['claude', 'gemini'] },
  ],
  [
    ['claude', 'gemini', 'codex'],
    'gemini',
    { fixer: 'claude', challenger: { use: 'codex', fallback: ['claude'] }, reviewers: ['claude', 'gemini'] },
  ],
])('with %j, and %s chosen to fix, the rest is %j', (usable, fixer, agents) => {
  expect(defaultAgents(builtInAgents, { usable, fixer })).toEqual(agents)
})

test('they work for whom nobody chose an agent, and for nobody else', () => {
  const inputs = { user: null, env: {}, flags: [], usableAgents: ['claude', 'gemini'] as const }
  const text = 'agents: { fixer: gemini, reviewers: [rules] }'
  const { config } = composeConfig({ ...inputs, repository: { name: 'fixpoint.yaml', text } })
  expect(config.agents.fixer.use).toBe('gemini')
  expect(config.agents.challenger.use).toBe('claude')
  expect(config.agents.reviewers.map(({ use }) => use)).toEqual(['rules'])
  expect(composeConfig({ ...inputs, repository: null, usableAgents: [] }).config.agents.fixer.use).toBe(
    'rules',
  )
})
