import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Guess } from './detection.ts'

const agents = ['claude', 'gemini', 'codex']

/** The vendors' agents that are installed; they are looked for, not started. */
export async function findAgents(searchPath: string | undefined): Promise<readonly Guess<string>[]> {
  // Relative entries would let the checkout itself offer an agent.
  const folders = (searchPath ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  const found: Guess<string>[] = []
  for (const name of agents) {
    for (const folder of folders) {
      const path = join(folder, name)
      if (!(await isProgram(path))) continue
      found.push({ value: name, why: path })
      break
    }
  }
  return found
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
