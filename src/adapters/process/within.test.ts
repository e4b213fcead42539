import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { drain } from './within.ts'

function start(script: string) {
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length))
  return { child, closed: once(child, 'close'), received: () => bytes }
}

test('what is ready to be read is read, however long this process was busy with other things', async () => {
  const { closed, received } = start('echo hello')
  const drained = drain(closed, received)
  for (const until = performance.now() + 1500; performance.now() < until;);
  await drained
  expect(received()).toBe('hello\n'.length)
  await closed
})

test('a pipe that stays open without a word is not waited for', async () => {
  const { child, closed, received } = start('exec sleep 60')
  await drain(closed, received)
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await closed
})
