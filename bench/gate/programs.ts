import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from './program.ts'

const folder = join(import.meta.dirname, 'programs')

/** Every program of the bench, by name. */
export async function readPrograms(): Promise<readonly Program[]> {
  const files = readdirSync(folder).toSorted()
  const modules = await Promise.all(
    files.map((file) => import(`./programs/${file}`) as Promise<{ program: Program }>),
  )
  return modules.map(({ program }) => program)
}
