import { isTrusted, trust } from '../../app/config/trust.ts'
import type { App } from '../../app/open-app.ts'
import { Fault } from '../../model/fault.ts'
import type { CommandContext } from './context.ts'
import { oneLine } from '../../client/printable.ts'

/** Commands of a repository's file run only after the person trusted exactly them: by `--yes`, by an answer, or earlier. */
export async function requireTrust(app: App, context: CommandContext, hasSaidYes: boolean): Promise<void> {
  const { commandsHash: digest, commands } = app.loaded
  if (digest === null) return
  const subject = { home: app.home, repositoryKey: app.git.key, digest }
  if (await isTrusted(subject)) return
  const lines = commands.map(({ key, run }) => `  ${key}: ${oneLine(run)}`)
  if (!hasSaidYes && !(context.output.isInteractive && (await askToTrust(lines))))
    throw new Fault(
      'not_trusted',
      `fixpoint.yaml would run these commands, and nobody has trusted them yet:\n${lines.join('\n')}`,
      {
        hint: 'Read them, then run the same command again with --yes. The answer is remembered until they change.',
      },
    )
  await trust(subject, new Date().toISOString())
}

async function askToTrust(lines: readonly string[]): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  const answer = await confirm({
    message: `fixpoint.yaml of this repository runs these commands:\n${lines.join('\n')}\nTrust them?`,
    initialValue: false,
    output: process.stderr,
  })
  return answer === true
}
