import { examine, type Check } from '../../../app/doctor/examine.ts'
import type { RunCommand } from '../../command/context.ts'
import type { Output } from '../../command/output.ts'
import { printable } from '../../../client/printable.ts'

const couldNotEvaluate = 3

export const runDoctor: RunCommand<{ readonly fix?: boolean }> = async (
  { cwd, env, output, agents = [] },
  options,
) => {
  const checks = await examine({ cwd, env, agents, fix: options.fix ?? false })
  output.print(checks.map((check) => describeCheck(check, output)).join('\n'))
  output.result({ schema: 'fixpoint.doctor.v1', checks })
  return checks.some(({ status }) => status === 'error') ? couldNotEvaluate : 0
}

const styles = { ok: 'green', warning: 'yellow', error: 'red' } as const

function describeCheck({ name, status, message, hint }: Check, output: Output): string {
  const [first = '', ...more] = printable(message).split('\n')
  const below = [...more, ...(hint === null || status === 'ok' ? [] : printable(hint).split('\n'))]
  const head = `${output.paint(styles[status], status.padEnd(7))}  ${name.replace('_', ' ').padEnd(16)}  ${first}`
  return [head, ...below.map((line) => `${' '.repeat(27)}${line}`)].join('\n')
}
