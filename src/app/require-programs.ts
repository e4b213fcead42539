import { findProgram } from '../adapters/agents/definition/find-program.ts'
import type { Variables } from '../adapters/process/clean-environment.ts'
import { Fault } from '../model/fault.ts'
import { firstProgram } from '../model/proof/preflight.ts'
import type { CheckCommand } from '../model/proof/verification.ts'

/** Checks whose program is not on PATH: nothing has to be run to know that. */
export const describeMissing = (commands: readonly CheckCommand[], env: Variables): readonly string[] =>
  commands.flatMap(({ name, run }) => {
    const program = firstProgram(run)
    return program === null || findProgram(program, env['PATH']) !== null
      ? []
      : [`${name} (${run}): ${program} is not on PATH`]
  })

export const howToBringPrograms =
  'Install what is missing, put it on PATH, or correct verify.commands in fixpoint.yaml.'

/** A check that cannot start could prove nothing; that is known before anything is claimed or spent. */
export function requirePrograms(commands: readonly CheckCommand[], env: Variables): void {
  const missing = describeMissing(commands, env)
  if (missing.length > 0)
    throw new Fault('not_evaluated', `the checks cannot run: ${missing.join('; ')}`, {
      hint: howToBringPrograms,
    })
}
