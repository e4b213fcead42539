import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../test/open-page.tsx'

const setting = (key: string, value: unknown, source = 'default') => ({ key, value, source, where: null })
const agent = (name: string, change: object) => ({
  role: 'fixer',
  name,
  use: name,
  model: null,
  timeout_ms: 90_000,
  is_fallback: false,
  available: true,
  reason: null,
  ...change,
})
const open = () =>
  openPage('/r/rep_1/settings', {
    'GET /api/repositories': {
      schema: 'fixpoint.repositories.v1',
      repositories: [
        { id: 'rep_1', name: 'here', path: '/code/here', available: true },
        { id: 'rep_2', name: 'gone', path: '/code/gone', available: false },
      ],
    },
    'POST /api/repositories': {},
    'GET /api/doctor': {
      schema: 'fixpoint.doctor.v1',
      checks: [
        { name: 'git', status: 'error', message: 'git is too old', hint: 'Install git 2.38.' },
        {
          name: 'sessions',
          status: 'warning',
          message: '1 rests: ses_1 (/x)',
          hint: 'fixpoint resume ses_1',
        },
      ],
    },
    'GET /api/agents': {
      schema: 'fixpoint.agents.v1',
      agents: [],
      roles: [
        agent('zeta', {}),
        agent('alpha', { is_fallback: true, available: false, reason: 'not installed' }),
      ],
    },
    'GET /api/config': {
      schema: 'fixpoint.config.v1',
      settings: [
        setting('fix.max_rounds', 3),
        setting('fix.scope', ['src/**', 'lib'], 'repository'),
        setting('workspace.path', null),
        setting('verify.commands', [{ name: 'test', run: 'npm test', paths: [] }]),
      ],
      notices: ['verify.commands is empty'],
    },
  })

const firstCells = (table: string): readonly string[] =>
  within(screen.getByRole('region', { name: table }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[table === 'Agents' ? 1 : 0]?.textContent ?? '')

describe('the settings', () => {
  it('show every value with its source, and what is wrong with the configuration', async () => {
    open()
    await screen.findByText('src/**, lib')
    const rows = within(screen.getByRole('region', { name: 'Configuration' })).getAllByRole('row')
    expect(rows.slice(1).map(({ textContent }) => textContent)).toEqual([
      'fix.max_rounds3Default',
      'fix.scopesrc/**, libRepository',
      'workspace.pathnot setDefault',
      'verify.commandsname: test, run: npm testDefault',
    ])
    expect(screen.getByText('verify.commands is empty')).toBeDefined()
  })

  it('list agents in the order in which they are tried, until a column is asked to sort them', async () => {
    open()
    await screen.findByText('not installed')
    expect(firstCells('Agents')).toEqual(['zeta', 'alpha (fallback)'])
    const head = screen.getByRole('columnheader', { name: 'Agent' })
    fireEvent.click(within(head).getByRole('button'))
    expect(firstCells('Agents')).toEqual(['alpha (fallback)', 'zeta'])
    expect(head.getAttribute('aria-sort')).toBe('ascending')
  })

  it('say what is wrong with the machine and what to do about it', async () => {
    open()
    expect((await screen.findByText('git is too old')).textContent).toBe('git is too oldInstall git 2.38.')
    expect((await screen.findByRole('link', { name: 'ses_1' })).getAttribute('href')).toBe('/sessions/ses_1')
    expect(screen.queryByText(/fixpoint resume/)).toBeNull()
  })

  it('mark a repository whose folder is gone, and add another by its folder', async () => {
    const page = open()
    const gone = (await screen.findByRole('link', { name: 'gone' })).closest('li')
    expect(gone?.textContent).toContain('Folder is gone')
    expect(screen.getByRole('button', { name: 'Add' })).toHaveProperty('disabled', true)
    fireEvent.change(screen.getByRole('textbox', { name: 'Folder of a repository' }), {
      target: { value: ' /code/new ' },
    })
    fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    await waitFor(() =>
      expect(page.changes).toEqual([{ call: 'POST /api/repositories', body: { path: '/code/new' } }]),
    )
  })
})
