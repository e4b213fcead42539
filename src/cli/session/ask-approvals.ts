import { answerApproval } from '../../app/fix/answer-approval.ts'
import { loadSession } from '../../app/fix/stored-session.ts'
import type { App } from '../../app/open-app.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import { printable } from '../../client/printable.ts'

const shownDiffLines = 60

/** Asks the person at the terminal about every held patch. False when nothing was decided. */
export async function askApprovals(app: App, sessionId: string): Promise<boolean> {
  const { attempts } = await loadSession(app, sessionId)
  let isDecided = false
  for (const attempt of attempts)
    if (attempt.stage === 'held') isDecided = (await askOne(app, sessionId, attempt)) || isDecided
  return isDecided
}

async function askOne(app: App, sessionId: string, attempt: AttemptAt<'held'>): Promise<boolean> {
  const { isCancel, select, text } = await import('@clack/prompts')
  const output = process.stderr
  const { question, issue_code: code } = attempt
  const files = question.paths ?? []
  output.write(`\n${shortDiff(attempt.diff)}\n`)
  const choice = await select({
    message:
      `${code} needs you (${question.name}): ${printable(question.reason)}\n${question.asks?.question ?? ''}`.trimEnd(),
    options: [
      { value: 'approve', label: `Approve exactly these files: ${printable(files.join(', '))}` },
      { value: 'reject', label: 'Reject: these changes are taken back, the fixer may try again' },
      { value: 'later', label: `Decide later (fixpoint approve | reject ${sessionId} ${code})` },
    ],
    initialValue: 'later',
    output,
  })
  if (isCancel(choice) || choice === 'later') return false
  const request = { sessionId, codes: [code] }
  if (choice === 'approve') {
    await answerApproval(app, { ...request, answer: { approve: true } })
    return true
  }
  const reason = await text({ message: 'Why? The fixer will read this.', output })
  if (isCancel(reason)) return false
  await answerApproval(app, { ...request, answer: { reject: reason || 'not wanted' } })
  return true
}

function shortDiff(diff: string): string {
  const lines = diff.split('\n')
  const more = lines.length > shownDiffLines ? [`… ${lines.length - shownDiffLines} more lines`] : []
  return printable([...lines.slice(0, shownDiffLines), ...more].join('\n'))
}
