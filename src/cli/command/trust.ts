import type { App } from '../../app/open-app.ts'
import {
  describeUntrusted,
  isTrusted,
  notTrusted,
  readTrust,
  trustItems,
  type TrustScope,
  type TrustState,
} from '../../app/trust/trust.ts'
import { oneLine } from '../../client/printable.ts'
import type { CommandContext } from './context.ts'

export interface TrustRequest extends Partial<TrustScope> {
  /** Whether `--yes` was given. */
  readonly yes: boolean | undefined
}

/** Refuses to go on until a person trusts what the repository's files would run or load: by `--yes`, by an answer now, or earlier. */
export async function requireTrust(
  app: App,
  context: CommandContext,
  { yes = false, ...scope }: TrustRequest,
): Promise<void> {
  const state = await readTrust(app, { for: 'session', ...scope })
  if (isTrusted(state)) return
  const lines = trustLines(state)
  if (!yes && !(context.output.isInteractive && (await askToTrust(lines))))
    throw notTrusted(
      state,
      lines,
      'Read it, then run the same command again with --yes, or fixpoint trust. The answer is remembered until something of it changes.',
    )
  await trustItems(app, state)
}

const mostShown = 400

/** What is new, one line each. */
export const trustLines = (state: TrustState): readonly string[] =>
  describeUntrusted(state).map((line) => oneLine(line, mostShown))

async function askToTrust(lines: readonly string[]): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  const answer = await confirm({
    message: `This repository's files would run or load the following:\n${lines.map((line) => `  ${line}`).join('\n')}\nTrust it?`,
    initialValue: false,
    output: process.stderr,
  })
  return answer === true
}
