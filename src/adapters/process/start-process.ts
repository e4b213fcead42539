import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import type { ProcessRequest } from './process-request.ts'
import { RUN_VARIABLE } from './process-table.ts'

export type Started = { readonly child: ChildProcess; readonly pid: number } | { readonly error: string }

/** Starts the program in a session of its own, marked; says in words why it could not. */
export async function startProcess(request: ProcessRequest, mark: string): Promise<Started> {
  const args = request.args ?? []
  const [program, argv] = request.shell
    ? (['/bin/sh', ['-c', request.command, 'sh', ...args]] as const)
    : ([request.command, args] as const)
  // A run inside a run keeps the outer mark, so that the outer one still finds everything.
  const marks = [process.env[RUN_VARIABLE], mark].filter(Boolean).join(',')
  try {
    const child = spawn(program, argv, {
      cwd: request.cwd,
      env: { ...request.env, [RUN_VARIABLE]: marks },
      detached: true,
      stdio: [request.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined) return { child, pid: child.pid }
    const [error] = (await once(child, 'error', { signal: AbortSignal.timeout(1000) })) as unknown[]
    return { error: describeSpawnError(error, request) }
  } catch (error) {
    return { error: describeSpawnError(error, request) }
  }
}

function describeSpawnError(error: unknown, request: ProcessRequest): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (!isDirectory(request.cwd)) return `working directory does not exist: ${request.cwd}`
  if (code === 'ENOENT') return `command not found: ${request.command}`
  if (code === 'EACCES') return `command is not executable: ${request.command}`
  return `command could not be started: ${message}`
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
