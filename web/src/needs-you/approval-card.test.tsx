import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { openPage } from '../../test/open-page.tsx'

const approval = {
  approval_id: 'app_1',
  session_id: 'ses_1',
  repository_id: 'rep_1',
  attempt_id: 'att_1',
  issue_id: 'iss_1',
  issue_code: 'BE-001',
  title: 'Loose comparison',
  gate: 'scope',
  question: 'May this patch change these files as well?',
  reason: 'the patch changes two files outside of the finding',
  files: ['src/b.js', 'src/c.js'],
  diff: 'diff --git a/src/b.js b/src/b.js\n--- a/src/b.js\n+++ b/src/b.js\n@@ -1 +1 @@\n-old\n+new\n',
  round: 2,
}
const open = (change: Partial<typeof approval> = {}) =>
  openPage('/r/rep_1/needs-you', {
    'GET /api/approvals': {
      schema: 'fixpoint.approvals.v1',
      approvals: [{ ...approval, ...change }],
      questions: [],
    },
    'POST /api/sessions/ses_1/approvals/app_1': {},
  })

describe('a patch that waits for a person', () => {
  it('is approved for exactly the files that are shown', async () => {
    const page = open()
    const approve = await screen.findByRole('button', { name: 'Approve exactly these 2 files' })
    expect(screen.getByText('1 file changed, 1 added, 1 removed')).toBeDefined()
    fireEvent.click(approve)
    await waitFor(() =>
      expect(page.changes).toEqual([
        {
          call: 'POST /api/sessions/ses_1/approvals/app_1',
          body: { decision: 'approve', files: ['src/b.js', 'src/c.js'] },
        },
      ]),
    )
  })

  it('whose files have names that turn the direction of a line shows that, and is approved with their real names', async () => {
    const files = ['src/\u202Esj.tset']
    const page = open({ files })
    fireEvent.click(await screen.findByRole('button', { name: 'Approve exactly this file' }))
    expect(screen.getByText('src/⟨U+202E⟩sj.tset')).toBeDefined()
    await waitFor(() =>
      expect(page.changes.map(({ body }) => body)).toEqual([{ decision: 'approve', files }]),
    )
  })

  it('is rejected only with a reason', async () => {
    const page = open({ files: ['src/b.js'], gate: 'tamper' })
    await screen.findByRole('button', { name: 'Approve exactly this file' })
    fireEvent.click(screen.getByRole('button', { name: 'Reject…' }))
    const reject = screen.getByRole('button', { name: 'Reject' })
    fireEvent.change(screen.getByRole('textbox', { name: /Why/ }), { target: { value: '  ' } })
    expect(reject).toHaveProperty('disabled', true)
    fireEvent.change(screen.getByRole('textbox', { name: /Why/ }), { target: { value: 'keep the test ' } })
    fireEvent.click(reject)
    await waitFor(() =>
      expect(page.changes.map(({ body }) => body)).toEqual([{ decision: 'reject', reason: 'keep the test' }]),
    )
  })

  it('names no files in the answer to a dispute, and says what agreeing does', async () => {
    const page = open({ gate: 'dispute', files: [], diff: '' })
    fireEvent.click(await screen.findByRole('button', { name: 'Agree and ignore the issue' }))
    await waitFor(() => expect(page.changes.map(({ body }) => body)).toEqual([{ decision: 'approve' }]))
  })

  it('is asked about in the words of its gate, whichever gate it is', async () => {
    open({ gate: 'weather', question: 'May there be a storm?' })
    expect(await screen.findByText('May there be a storm?')).toBeDefined()
    expect(screen.getByText('Weather')).toBeDefined()
    expect(screen.getByRole('button', { name: 'Approve exactly these 2 files' })).toBeDefined()
  })

  it('shows why an answer was refused', async () => {
    open({ session_id: 'ses_gone' })
    fireEvent.click(await screen.findByRole('button', { name: 'Approve exactly these 2 files' }))
    expect((await screen.findByRole('alert')).textContent).toContain('was answered with status 404')
  })
})
