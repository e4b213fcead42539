import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pipeGit, runGit, type GitCall } from './git-process.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fixpoint-git-process-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A stand-in for git that does what the shell script says. */
function standIn(name: string, script: string): GitCall {
  const program = join(folder, name)
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  return { program, args: ['-c', 'a=b', name], cwd: folder, env: { PATH: '/usr/bin:/bin' } }
}

describe('runGit', () => {
  test('passes bytes through both ways, and nothing of the environment', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 233])
    expect((await runGit({ ...standIn('cat', 'cat'), stdin: bytes })).stdout).toEqual(bytes)
    process.env['FIXPOINT_TEST_LEAK'] = '1'
    expect((await runGit(standIn('env', 'env'))).stdout.toString()).not.toContain('LEAK')
    delete process.env['FIXPOINT_TEST_LEAK']
  })

  test('takes an exit code that is an answer, and faults on any other with the end of stderr', async () => {
    const call = standIn('fails', 'echo why >&2; exit 1')
    expect(await runGit({ ...call, answers: [1] })).toMatchObject({ exitCode: 1, stderr: 'why\n' })
    await expect(runGit(call)).rejects.toMatchObject({
      code: 'git_failed',
      message: 'git fails ended with 1: why',
      details: { command: 'git fails', exit_code: 1, stderr: 'why\n' },
    })
  })

  test('knows a full disk and the lock of another by name', async () => {
    const full = 'echo "fatal: write error: No space left on device" >&2; exit 128'
    await expect(runGit(standIn('full', full))).rejects.toMatchObject({ code: 'disk_full' })
    const locked = `echo "fatal: Unable to create '/x/y.lock': File exists." >&2; exit 128`
    await expect(runGit(standIn('locked', locked))).rejects.toMatchObject({ code: 'busy' })
  })

  test('ends a command that floods, hangs, or never reads its input', async () => {
    const flood = { ...standIn('flood', 'exec cat /dev/zero'), maxBytes: 100_000 }
    await expect(runGit(flood)).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('more output'),
    })
    const cut = await runGit({ ...flood, overflow: 'cut' })
    expect([cut.isCut, cut.stdout.length]).toEqual([true, 100_000])
    const hang = { ...standIn('hang', 'exec sleep 60'), timeoutMs: 200 }
    await expect(runGit(hang)).rejects.toMatchObject({ message: expect.stringContaining('in time') })
    expect((await runGit({ ...standIn('deaf', 'exit 0'), stdin: Buffer.alloc(1_000_000) })).exitCode).toBe(0)
  })

  test('faults when the program or the folder is not there', async () => {
    const call = standIn('here', 'exit 0')
    await expect(runGit({ ...call, program: join(folder, 'nope') })).rejects.toMatchObject({
      code: 'git_failed',
    })
    await expect(runGit({ ...call, cwd: join(folder, 'nope') })).rejects.toMatchObject({ code: 'git_failed' })
  })
})

describe('pipeGit', () => {
  test('hands the output of one to the other', async () => {
    const target = join(folder, 'target')
    await pipeGit(standIn('source', 'printf "a\\0b"'), standIn('sink', `cat > ${target}`))
    expect((await runGit(standIn('show', `cat ${target}`))).stdout).toEqual(Buffer.from('a\0b'))
  })

  test('faults with the reason of whichever failed, and waits for no other', async () => {
    const source = standIn('endless', 'cat /dev/zero | head -c 20000000')
    await expect(pipeGit(source, standIn('dies', 'echo full >&2; exit 1'))).rejects.toMatchObject({
      message: 'git dies ended with 1: full',
    })
    await expect(
      pipeGit(standIn('broken', 'echo bad >&2; exit 1'), standIn('eats', 'cat')),
    ).rejects.toMatchObject({ message: 'git broken ended with 1: bad' })
  })
})
