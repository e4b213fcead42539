import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { HostsGate } from '../../loop/ports.ts'
import { openGate, standIn } from './gate.ts'

const home = mkdtempSync(join(tmpdir(), 'fixpoint-gate-test-'))
afterAll(() => rmSync(home, { recursive: true }))

const gate: HostsGate = {
  hosts: [],
  allowed: [],
  keys: [
    { variable: 'KEY', baseVariable: 'BASE', baseUrl: 'https://api.example.com', header: 'x-api-key' },
    { variable: 'HEADERS', baseVariable: 'BASE', baseUrl: 'https://api.example.com', header: null },
  ],
  onRefused: () => undefined,
}
const open = (env: Readonly<Record<string, string>>, args: readonly string[] = []) =>
  openGate(gate, { program: 'x', args, cwd: '/', env }, home)

test('a request to the model gets the real key and headers outside, and the program knows neither', async () => {
  const seen: { url: string | undefined; headers: IncomingHttpHeaders }[] = []
  const server = createServer(({ url, headers }, answer) => {
    seen.push({ url, headers })
    answer.end('hello')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const opened = await open({ KEY: 'real', HEADERS: 'X-Team: a\nX-Two: b', BASE: base }, [`url="${base}"`])
  try {
    expect(JSON.stringify([opened.env, opened.args])).not.toMatch(/real|X-Team/)
    expect(opened.env).toMatchObject({ KEY: standIn, BASE: 'http://127.0.0.1:3129/v1' })
    expect(opened.args).toEqual(['url="http://127.0.0.1:3129/v1"'])
    const [, [, socketPath] = [0, '']] = opened.doors
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'x-api-key': standIn, host: 'evil.example' }
      request(
        { socketPath, path: `/v1/messages?key=${standIn}`, method: 'POST', headers },
        ({ statusCode }) => resolve(statusCode),
      )
        .on('error', reject)
        .end('{}')
    })
    expect(answer).toBe(200)
    expect(seen).toMatchObject([
      {
        url: '/v1/messages',
        headers: { 'x-api-key': 'real', 'x-team': 'a', 'x-two': 'b', host: new URL(base).host },
      },
    ])
  } finally {
    await opened.close()
    server.close()
  }
})

test('a key whose service cannot be understood does not go in either', async () => {
  const opened = await open({ KEY: 'real', BASE: 'no url' })
  expect(opened.env['KEY']).toBeUndefined()
  await opened.close()
})
