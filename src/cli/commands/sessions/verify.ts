import { commandsOfNotes, readFixes, verifyFixes } from '../../../app/verify/verify-fixes.ts'
import {
  exitCodeOfVerdicts,
  type CommitCheck,
  type CommitVerdict,
} from '../../../model/proof/commit-verdict.ts'
import { withApp, type RunCommand } from '../../command/context.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'
import type { Output } from '../../command/output.ts'
import { oneLine } from '../../../client/printable.ts'
import { requireTrust } from '../../command/trust.ts'

interface Options {
  readonly revisions: readonly string[]
  readonly yes?: boolean
}

export const runVerify: RunCommand<Options> = (context, { revisions, yes }) =>
  withApp(context, {}, async (app) => {
    const { output } = context
    const fixes = await readFixes(app, revisions)
    await requireTrust(app, context, {
      yes,
      revisions: ['HEAD', ...revisions],
      commands: commandsOfNotes(app, fixes),
    })
    using interrupts = listenForInterrupts(output.say)
    const onVerdict = (verdict: CommitVerdict): void => output.print(describe(verdict, output))
    const verdicts = await verifyFixes(app, { fixes, signal: interrupts.stopStarting, onVerdict })
    const [only] = verdicts
    if (verdicts.length === 1 && only) output.result({ ...only })
    else output.result({ schema: 'fixpoint.verifications.v1', verifications: verdicts })
    return interrupts.exitCode() ?? exitCodeOfVerdicts(verdicts)
  })

const words = { confirmed: 'green', refuted: 'red', not_evaluated: 'yellow' } as const
const marks: Readonly<Record<CommitCheck['status'], string>> = {
  passed: '✓',
  failed: '✗',
  not_evaluated: '?',
  not_applicable: '-',
}

function describe(verdict: CommitVerdict, output: Output): string {
  const { commit, issue_code, claimed, confirmed, status } = verdict
  const said = { confirmed: 'confirmed', refuted: 'refuted', not_evaluated: 'could not be evaluated' }[status]
  const seen = confirmed && confirmed !== claimed ? `, seen again: ${confirmed}` : ''
  const head = `${commit.slice(0, 10)}  ${issue_code}  ${claimed} ${output.paint(words[status], said)}${seen}`
  const lines = verdict.checks.map(
    ({ name, status: found, reason }) => `  ${marks[found]} ${name.padEnd(13)} ${oneLine(reason, 160)}`,
  )
  return [head, ...lines].join('\n')
}
