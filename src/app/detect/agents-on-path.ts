import { cliKinds } from '../agents/cli-agents.ts'
import { findProgram } from '../agents/find-program.ts'
import type { Guess } from './detection.ts'

/** The vendors' agents that are installed; they are looked for, not started. */
export const findAgents = (searchPath: string | undefined): readonly Guess<string>[] =>
  cliKinds.flatMap((value) => {
    const why = findProgram(value, searchPath)
    return why === null ? [] : [{ value, why }]
  })
