import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

const root = join(import.meta.dirname, '..')

/** The launcher, as a user starts it. */
export const cli = join(root, 'bin/fixpoint.js')

export interface NodeRun {
  readonly stdout: string
  readonly durationMs: number
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The expected exit code; 0 without it, null for any. */
  readonly exitCode?: number | null
}

/** Runs this very Node to its end; an unexpected exit code is an error that holds the output. */
export const runNode = (args: readonly string[], options: RunOptions = {}): Promise<NodeRun> =>
  run(args, options)

/** Runs Node and measures its peak of resident memory, and the processor time of it and of all that it started. */
export async function measureNode(
  args: readonly string[],
  options: RunOptions = {},
): Promise<NodeRun & { readonly peakMb: number; readonly cpuMs: number }> {
  const preload = new URL('tell-usage.js', import.meta.url).href
  const { told, ...rest } = await run(['--import', preload, ...args], options)
  const [peakBytes = Number.NaN, cpuMs = Number.NaN] = told.split(' ').map(Number)
  return { ...rest, peakMb: peakBytes / 1e6, cpuMs }
}

/** Makes sure that the command line runs from a build of these sources. */
export async function buildIfStale(): Promise<void> {
  await runNode([join(root, 'scripts/build.ts'), '--if-stale'])
}

async function run(args: readonly string[], options: RunOptions): Promise<NodeRun & { told: string }> {
  const startedAt = performance.now()
  const { exitCode = 0, ...place } = options
  const child = spawn(process.execPath, args, { ...place, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  const written = Promise.all(child.stdio.slice(1, 4).map((stream) => text(stream as Readable)))
  const [code] = (await once(child, 'exit')) as [number | null]
  const durationMs = performance.now() - startedAt
  const [stdout = '', stderr = '', told = ''] = await written
  if (exitCode !== null && code !== exitCode)
    throw new Error(
      `node ${args.join(' ')} ended with ${code}:\n${stderr.slice(-2000)}${stdout.slice(-2000)}`,
    )
  return { stdout, durationMs, told }
}
