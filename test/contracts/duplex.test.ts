import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runDuplex, type Duplex, type DuplexRequest } from '../../src/adapters/process/duplex-process.ts'
import { createRunMark } from '../../src/adapters/process/run-mark.ts'

const scratch = mkdtempSync(join(tmpdir(), 'fixpoint-duplex-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const requestOf = (command: string, given: Partial<DuplexRequest> = {}) => ({
  command,
  shell: true,
  cwd: scratch,
  env: { PATH: process.env['PATH'] ?? '' },
  timeoutMs: 100_000,
  walls: null,
  graceMs: 200,
  mark: createRunMark(scratch),
  ...given,
})

function survivorsOf(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const state = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0]
      return state !== 'Z' && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
    } catch {
      return false // ended meanwhile
    }
  })
}

/** Sends a line and gives the next line of the answer; null when no more lines come. */
async function exchange({ input, output }: Duplex, line: string): Promise<string | null> {
  const writer = input.getWriter()
  await writer.write(new TextEncoder().encode(`${line}\n`)).catch(() => undefined)
  writer.releaseLock()
  const reader = output.getReader()
  try {
    const { value } = await reader.read()
    return value === undefined ? null : new TextDecoder().decode(value)
  } catch {
    return null
  } finally {
    reader.releaseLock()
  }
}

const untilStopped = ({ stopped }: Duplex): Promise<string> =>
  new Promise((resolve) => stopped.addEventListener('abort', () => resolve('stopped')))

describe('a program that is talked with', () => {
  it('answers what it is told, and ends when the talk is over', async () => {
    const request = requestOf('while read line; do echo "got $line"; done; echo bye >&2')
    const result = await runDuplex(request, (duplex) => exchange(duplex, 'hello'))
    expect(result).toEqual({
      ended: 'talked',
      answer: 'got hello\n',
      exitCode: 0,
      signal: null,
      stderr: { head: 'bye\n', tail: '', omittedBytes: 0 },
      durationMs: expect.any(Number),
    })
  })

  it('has exited when it goes before the talk is over, with what the talk made of it', async () => {
    const result = await runDuplex(requestOf('echo boom >&2; exit 3'), async (duplex) => {
      await duplex.exited
      return exchange(duplex, 'hello')
    })
    expect(result).toMatchObject({ ended: 'exited', answer: null, exitCode: 3, stderr: { head: 'boom\n' } })
  })

  it.each([
    ['time is over', 'timed_out', () => ({ timeoutMs: 300 })],
    ['it is cancelled', 'cancelled', () => ({ signal: AbortSignal.timeout(300) })],
  ] as const)('tells the talk that %s, and waits for its last words', async (_, ended, given) => {
    const request = requestOf('cat', given())
    expect(await runDuplex(request, untilStopped)).toMatchObject({ ended, answer: 'stopped' })
  })

  it.each([
    ['ignores everything', 'trap "" INT TERM HUP; while :; do sleep 1; done'],
    ['leaves a daemon', 'setsid sh -c "trap : TERM; tail -f /dev/null" & sleep 60'],
    ['stops itself', 'kill -STOP $$'],
  ])('leaves nothing behind when it %s', async (_, command) => {
    const request = requestOf(command, { timeoutMs: 500 })
    const result = await runDuplex(request, () => new Promise<never>(() => undefined))
    expect(result).toMatchObject({ ended: 'timed_out', answer: null })
    expect(survivorsOf(request.mark)).toEqual([])
  })

  it.each(['yes', 'yes >&2'])('is stopped at once when it floods: %s', async (command) => {
    const request = requestOf(command, { killAboveBytes: 5_000_000 })
    const result = await runDuplex(request, async ({ output }) => {
      for await (const chunk of output) if (chunk.length === 0) break
      return 'read'
    })
    expect(result.ended).toBe('flooded')
    expect(survivorsOf(request.mark)).toEqual([])
  })

  it('does not start when it is cancelled already, or cannot be', async () => {
    const never = (): Promise<never> => Promise.reject(new Error('nobody to talk with'))
    const cancelled = requestOf('cat', { signal: AbortSignal.abort() })
    expect(await runDuplex(cancelled, never)).toMatchObject({ ended: 'cancelled', answer: null })
    const missing = { ...requestOf('there-is-no-such-program'), shell: false }
    expect(await runDuplex(missing, never)).toMatchObject({
      ended: 'not_started',
      error: 'command not found: there-is-no-such-program',
    })
  })
})
