import { startsProgram } from '../../adapters/agents/definition/definition.ts'
import type { AgentConfig } from '../../model/config/agents.ts'
import { Fault } from '../../model/fault.ts'
import { isTrusted } from '../config/trust.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { App } from '../open-app.ts'

/** Commands of a repository's file run only after a person trusted exactly them. */
export async function requireTrusted(app: App): Promise<void> {
  const { commandsHash: digest, commands } = app.loaded
  if (digest === null || (await isTrusted({ home: app.home, repositoryKey: app.git.key, digest }))) return
  throw new Fault('not_trusted', 'fixpoint.yaml would run commands that nobody has trusted yet', {
    hint: 'Read them, then trust them: on the page of the repository, with fixpoint fix --yes, or in a program with trust: true.',
    details: { commands, commands_hash: digest },
  })
}

/** Whether one of these agents starts a program; the built-in ones and recorded runs do not. */
export const runsPrograms = (
  { kinds }: Pick<LoadedConfig, 'kinds'>,
  agents: readonly Pick<AgentConfig, 'use'>[],
): boolean => kinds.some((kind) => startsProgram(kind) && agents.some(({ use }) => use === kind.kind))
