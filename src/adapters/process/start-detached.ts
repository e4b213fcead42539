import { spawn } from 'node:child_process'
import type { Variables } from './clean-environment.ts'

/** Starts a program that goes on by itself, such as a browser; false when there is no such program. */
export function startDetached(program: string, args: readonly string[], env: Variables): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', env: { ...env } })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
