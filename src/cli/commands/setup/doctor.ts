import { examine, type Check } from '../../../app/doctor/examine.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import { listenForInterrupts } from '../../command/interrupts.ts'
import type { Output } from '../../command/output.ts'
import { requireTrust } from '../../command/trust.ts'
import { printable } from '../../../client/printable.ts'

const couldNotEvaluate = 3

interface Options {
  readonly fix?: boolean
  readonly checks?: boolean
  readonly yes?: boolean
}

export const runDoctor: RunCommand<Options> = async (context, options) => {
  const { cwd, env, output, agents = [] } = context
  const seen = await examine({ cwd, env, agents, fix: options.fix ?? false })
  const checks = options.checks ? [...seen, ...(await runChecks(context, options))] : seen
  output.print(describeChecks(checks, output))
  output.result({ schema: 'fixpoint.doctor.v1', checks })
  return checks.some(({ status }) => status === 'error') ? couldNotEvaluate : 0
}

/** The configured checks on HEAD, once a person trusts them. */
export const runChecks = (
  context: CommandContext,
  { yes }: Pick<Options, 'yes'>,
): Promise<readonly Check[]> =>
  withApp(context, {}, async (app) => {
    await requireTrust(app, context, { yes })
    using interrupts = listenForInterrupts(context.output.say)
    const { examineChecks } = await import('../../../app/doctor/checks.ts')
    return await examineChecks(app, interrupts.endNow)
  })

export const describeChecks = (checks: readonly Check[], output: Output): string =>
  checks.map((check) => describeCheck(check, output)).join('\n')

const styles = { ok: 'green', warning: 'yellow', error: 'red' } as const

function describeCheck({ name, status, message, hint }: Check, output: Output): string {
  const [first = '', ...more] = printable(message).split('\n')
  const below = [...more, ...(hint === null || status === 'ok' ? [] : printable(hint).split('\n'))]
  const head = `${output.paint(styles[status], status.padEnd(7))}  ${name.replaceAll('_', ' ').padEnd(17)}  ${first}`
  return [head, ...below.map((line) => `${' '.repeat(28)}${line}`)].join('\n')
}
