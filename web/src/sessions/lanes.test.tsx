import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { formatDate, formatSentence } from '../ui/format.ts'
import { openPage } from '../../test/open-page.tsx'

const attempt = (number: number, change: object = {}) => ({
  attempt_id: `att_${number}`,
  issue_id: `iss_${number}`,
  issue_code: `BE-00${number}`,
  title: `Problem ${number}`,
  file: 'src/a.js',
  position: number,
  stage: 'fixing',
  round: 0,
  outcome: null,
  reason: null,
  issue_status: 'in_progress',
  ...change,
})

const session = {
  schema: 'fixpoint.session-detail.v1',
  session_id: 'ses_1',
  repository_id: 'rep_1',
  task_id: null,
  status: 'running',
  reason: null,
  branch_name: null,
  branch: 'fixpoint/x',
  issues_requested: 2,
  issues_fixed: 0,
  issues_failed: 0,
  issues_skipped: 0,
  cost_usd: 0,
  tokens: 0,
  created_at: '2030-01-01T00:00:00Z',
  updated_at: '2030-01-01T00:00:00Z',
  warnings: [],
  base_branch: 'main',
  ended_at: null,
  resumable: true,
  driven: true,
  base_commit: 'a'.repeat(40),
  tip_commit: 'a'.repeat(40),
  plan: { steps: [] },
  options: { policy: { max_rounds: 3, threshold: 90 } },
  attempts: [attempt(1), attempt(2)],
  last_seq: 3,
  verifications_run: 0,
}

const event = (seq: number, type: string, change: object = {}) => ({
  type,
  seq,
  timestamp: '2030-01-01T00:00:00Z',
  session_id: 'ses_1',
  issue_id: 'iss_1',
  issue_code: 'BE-001',
  issue_index: 1,
  total_issues: 2,
  round: 1,
  commit_sha: null,
  message: type,
  details: {},
  ...change,
})

const stream = (events: readonly object[]): string =>
  events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')

const open = (events: readonly object[], change: object = {}, search = '') =>
  openPage(`/r/rep_1/sessions/ses_1${search}`, {
    'GET /api/workers': { schema: 'fixpoint.workers.v1', shared: true, waiting: 1, workers: [] },
    'GET /api/sessions/ses_1': { ...session, ...change },
    'GET /api/sessions/ses_1/events': stream(events),
    'GET /api/sessions/ses_1/attempts': {
      schema: 'fixpoint.attempts.v1',
      session_id: 'ses_1',
      attempts: [],
    },
  })

const lane = (code: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(`[data-lane="${code}"]`)
  if (!found) throw new Error(`no lane of ${code}`)
  return found
}

const begun = [
  event(1, 'fix_issue_started', { message: 'begins' }),
  event(2, 'fix_cycle_started', { message: 'asks the fixer' }),
]

describe('the lanes of a session', () => {
  it('say where each issue is, in the order of the plan', async () => {
    open(begun)
    await screen.findByText('The fixer is at work')
    expect([...document.querySelectorAll('[data-lane]')].map((one) => one.getAttribute('data-lane'))).toEqual(
      ['BE-001', 'BE-002'],
    )
    expect(lane('BE-001').textContent).toContain('round 1 of 3')
    expect(lane('BE-001').textContent).toContain('Fixing')
    expect(lane('BE-002').textContent).toContain('Waits for its turn')
  })

  it('show the newest score beside the round, and the outcome at the end', async () => {
    open([
      ...begun,
      event(3, 'fix_challenger_result', { details: { challenge: { status: 'accepted', score: 96.75 } } }),
      event(4, 'fix_issue_committed', { message: 'fix(cart): round the sum up [BE-001]' }),
      event(5, 'fix_issue_completed', {
        message: 'fixed: landed with evidence E2',
        details: { outcome: 'fixed' },
      }),
    ])
    await screen.findByText('Round the sum up')
    expect(lane('BE-001').textContent).toMatch(/score 96(?!\.)/)
    expect(lane('BE-001').textContent).toContain('Fixed')
  })

  it('say that work which nobody drives goes on with the session', async () => {
    open(begun, { driven: false })
    await screen.findByText('Goes on with the session')
    expect(lane('BE-001').textContent).toContain('Stopped')
    expect(lane('BE-002').textContent).toContain('Waits for its turn')
    const groups = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
    expect(groups).toEqual(['Stopped', 'Not begun'])
  })

  it('are counted as the report counts them, what landed last', async () => {
    const ended = [
      { outcome: 'needs_agent', group: 'Set aside' },
      { outcome: 'not_evaluated', group: 'Set aside' },
      { outcome: 'blocked', group: 'Did not land' },
      { outcome: 'fixed', group: 'Landed' },
    ]
    const attempts = ended.map(({ outcome }, index) => attempt(index + 1, { outcome, stage: 'settled' }))
    open([], {
      attempts,
      status: 'partial',
      ended_at: '2030-01-01T00:01:00Z',
      driven: false,
      resumable: false,
    })
    await screen.findByRole('progressbar')
    for (const [index, { group }] of ended.entries())
      expect(
        lane(`BE-00${index + 1}`)
          .closest('section')
          ?.querySelector('h2')?.textContent,
      ).toBe(group)
    const groups = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
    expect(groups.slice(-3)).toEqual(['Did not land', 'Set aside', 'Landed'])
  })

  it('offer to try again what a new session could take, which an ignored issue is not', async () => {
    const attempts = [
      attempt(1, { outcome: 'disputed', stage: 'settled', issue_status: 'ignored' }),
      attempt(2, { outcome: 'refused', stage: 'settled', issue_status: 'failed' }),
    ]
    open([], {
      attempts,
      status: 'failed',
      ended_at: '2030-01-01T00:01:00Z',
      driven: false,
      resumable: false,
    })
    expect(await screen.findByRole('button', { name: /^Retry/ })).toHaveProperty(
      'textContent',
      'Retry 1 issue…',
    )
  })

  it('open by a click, which the address remembers', async () => {
    const page = open(begun)
    await screen.findByText('The fixer is at work')
    expect(lane('BE-001').getAttribute('aria-expanded')).toBe('false')
    fireEvent.click(lane('BE-001'))
    await waitFor(() => expect(page.address()).toBe('/r/rep_1/sessions/ses_1?issue=BE-001'))
    await screen.findByRole('link', { name: 'Show the issue' })
    fireEvent.click(lane('BE-001'))
    await waitFor(() => expect(page.address()).toBe('/r/rep_1/sessions/ses_1'))
  })

  it('show live text of the agent in the lane that the address opens', async () => {
    open(
      [...begun, event(3, 'fix_issue_streaming', { seq: null, message: 'I read the file' })],
      {},
      '?issue=BE-001',
    )
    expect((await screen.findByRole('log', { name: 'What the agent says' })).textContent).toBe(
      'I read the file\n',
    )
  })
})

describe('an open lane', () => {
  const reason = 'verification: test: exit 1'
  const refused = [
    ...begun,
    event(3, 'fix_issue_streaming', { seq: null, message: 'I read the file' }),
    event(3, 'fix_cycle_completed', { message: `round 1 refused: ${reason}`, details: { accepted: false } }),
  ]

  it('says why its issue was refused in its row and in its round, and nothing twice', async () => {
    const attempts = [
      attempt(1, { outcome: 'refused', stage: 'settled', reason: `${reason} (after 1 round)` }),
      attempt(2),
    ]
    const over = event(4, 'fix_issue_completed', {
      message: `refused: ${reason} (after 1 round)`,
      details: { outcome: 'refused' },
    })
    open([...refused, over], { attempts }, '?issue=BE-001')
    await screen.findByText(`refused: ${reason}`, { selector: 'p' })
    expect(lane('BE-001').textContent).toContain(formatSentence(reason))
    expect(document.body.textContent.toLowerCase().split(reason).length - 1).toBe(3)
    expect(document.body.textContent).not.toContain('after 1 round')
    // Its round keeps what the agent said.
    expect(screen.queryByRole('log')).toBeNull()
  })

  it('spells the path that its question begins with as it is', async () => {
    const asked = event(3, 'fix_approval_needed', {
      message: 'test/a.js:1 an assertion was removed',
      details: {},
    })
    open([...begun, asked])
    const line = await screen.findByText('test/a.js:1 an assertion was removed')
    expect(line.className).not.toContain('uppercase')
  })

  it('shows whose words are live', async () => {
    open(refused.slice(0, 3), {}, '?issue=BE-001')
    await screen.findByRole('log', { name: 'What the agent says' })
    expect(screen.getByText('What the agent says')).toBeTruthy()
  })
})

it('the landing says what landed, and the log has no word of programs', async () => {
  const landed = event(3, 'fix_landing_result', {
    issue_code: null,
    commit_sha: 'b'.repeat(40),
    message: 'fix/shop is at bbbbbbbbbb',
  })
  const begins = { issue_code: null, message: 'landing 2 patches on fix/shop' }
  const again = event(5, 'fix_landing_started', begins)
  const set = event(4, 'fix_issue_completed', {
    message: 'needs_agent: no rule fixes it',
    details: { outcome: 'needs_agent' },
  })
  open([
    ...begun,
    event(3, 'fix_landing_started', begins),
    { ...landed, seq: 4 },
    { ...set, seq: 5 },
    { ...again, seq: 6 },
  ])
  await screen.findByText('2 patches landed: fix/shop is at bbbbbbbbbb')
  // The one that is over is told once; the one at work by its beginning.
  expect(screen.getAllByText('Landing 2 patches on fix/shop')).toHaveLength(1)
  fireEvent.click(screen.getByRole('link', { name: 'Log' }))
  expect(await screen.findByText('Needs agent: no rule fixes it')).toBeTruthy()
})

it.each([
  ['stopped by a person: fixpoint resume ses_1 goes on', 'The session rests: stopped by a person'],
  [
    'rate_limited: asked too often; fixpoint resume ses_1 goes on (not before 2030-01-01T12:00:00.000Z)',
    `The session rests: a provider lets nobody through for now. Asked too often (not before ${formatDate('2030-01-01T12:00:00.000Z')})`,
  ],
  [
    'x was deleted by someone else. To go on: git branch x y && fixpoint resume ses_1',
    'The session rests: x was deleted by someone else. To go on: git branch x y, then Resume',
  ],
])(
  'a session that rests (%s) says why beside its button, without the command of that button',
  async (message, said) => {
    open([...begun, event(3, 'fix_session_parked', { issue_code: null, message })], { driven: false })
    expect(await screen.findByText(said)).toBeDefined()
    await screen.findByRole('button', { name: 'Resume' })
  },
)

it('a session that no worker has taken says so, and offers no Resume that would change nothing', async () => {
  open([], { status: 'pending', driven: false })
  await screen.findByText(/No worker has taken the session yet/)
  await screen.findByRole('button', { name: 'Cancel session' })
  expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull()
})

it('a session with open questions leads to them, and offers no Resume that would only ask again', async () => {
  open([], { status: 'awaiting_clarification', driven: false })
  await screen.findByText('Questions wait for your answer.')
  expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull()
})
