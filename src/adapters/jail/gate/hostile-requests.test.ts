import { gzipSync } from 'node:zlib'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect, createServer as createSocketServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HostsGate } from '../../../loop/ports.ts'
import { openGate, type OpenGate } from './open-gate.ts'
import { proxyServer } from './servers.ts'
import { readGreeting } from './server-name.ts'
import { keyStriker } from './strike-keys.ts'

const home = mkdtempSync(join(tmpdir(), 'fixpoint-gate-test-'))
afterAll(() => rmSync(home, { recursive: true }))

const key = 'sk-CANARY-81d2e7c4'
const seen: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] = []
const refused: string[] = []
/** A service that says what it was sent, and beside it what else is at that host. */
const service = createServer(({ method, url, headers }, answer) => {
  seen.push({ method, url, headers })
  if (url === '/llm/v1/packed') {
    answer.setHeader('content-encoding', 'gzip').end(gzipSync(String(headers['x-api-key'])))
    return
  }
  answer.setHeader('x-sent', String(headers['x-api-key']))
  answer.write(`sent ${String(headers['x-api-key']).slice(0, 9)}`)
  answer.end(`${String(headers['x-api-key']).slice(9)} in all`)
})
const gate: HostsGate = {
  hosts: ['api.example.com', 'login.example.com'],
  loginHosts: [],
  allowed: [],
  keys: [{ variable: 'KEY', baseVariable: 'BASE', baseUrl: 'https://api.example.com', header: 'x-api-key' }],
  onRefused: (host) => refused.push(host),
  onUsage: () => undefined,
}

let opened: OpenGate
beforeEach(async () => {
  seen.length = refused.length = 0
  if (!service.listening) {
    service.listen(0, '127.0.0.1')
    await new Promise((resolve) => service.once('listening', resolve))
  }
  const base = `http://127.0.0.1:${(service.address() as AddressInfo).port}/llm/v1/`
  opened = await openGate(gate, { program: 'x', args: [], cwd: '/', env: { KEY: key, BASE: base } }, home)
})
afterEach(() => opened.close())
afterAll(() => service.close())

/** What comes back for these very bytes, until the other side has said all. */
const send = (door: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ''
    const socket = connect(opened.doors[door]?.[1] ?? '', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => (said += String(chunk)))
    socket.on('close', () => resolve(said)).on('error', reject)
  })

const [proxy, model] = [0, 1]
const lines = (...all: readonly string[]): string =>
  [...all.slice(0, -1), 'Host: a', 'Connection: close', '', all.at(-1)].join('\r\n')

describe('a request to the model', () => {
  test('brings no key back, whatever the service repeats of it', async () => {
    const said = await send(model, lines('POST /llm/v1/messages HTTP/1.1', 'Content-Length: 2', '{}'))
    expect(seen).toMatchObject([{ url: '/llm/v1/messages', headers: { 'x-api-key': key } }])
    expect(said).toMatch(/^HTTP\/1.1 200/)
    expect(said).toContain('in all')
    expect(said).not.toContain(key)
    expect(said).toContain(`x-sent: ${'*'.repeat(key.length)}`)
  })

  test('gets no packed answer, in which nobody could see the key', async () => {
    const said = await send(model, lines('GET /llm/v1/packed HTTP/1.1', 'Accept-Encoding: gzip', ''))
    expect(seen).toMatchObject([{ headers: { 'accept-encoding': 'identity' } }])
    expect(said).toMatch(/^HTTP\/1.1 502[^]*\r\n\r\n(0\r\n\r\n)?$/)
  })

  test.each([
    ['another place of the host', 'GET /admin/keys HTTP/1.1'],
    ['a place with the same beginning', 'GET /llm/v1beta HTTP/1.1'],
    ['a place above', 'GET /llm/v1/../../admin HTTP/1.1'],
    ['the same, encoded', 'GET /llm/v1/%2e%2e/%2E./admin HTTP/1.1'],
    ['the same, for a service that decodes twice', 'GET /llm/v1/..%2f..%2fadmin HTTP/1.1'],
    ['the same, with the other stroke', 'GET /llm/v1/..%5c..%5cadmin HTTP/1.1'],
    ['a whole address', 'GET http://evil.example/llm/v1 HTTP/1.1'],
    ['all that was sent', 'TRACE /llm/v1 HTTP/1.1'],
    ['the service itself', 'OPTIONS * HTTP/1.1'],
  ])('does not take the key to %s', async (_, first) => {
    expect(await send(model, lines(first, ''))).toMatch(/^HTTP\/1.1 403/)
    expect(seen).toEqual([])
    expect(refused).toHaveLength(1)
  })

  test('that carries requests of its own is refused', async () => {
    const batch = ['POST /llm/v1/batch HTTP/1.1', 'Content-Type: Multipart/Mixed; boundary=x', '']
    expect(await send(model, lines(...batch))).toMatch(/^HTTP\/1.1 403/)
    expect(seen).toEqual([])
  })

  test('carries no other key, in whatever header or part of the address', async () => {
    const address = '/llm/v1?key=evil&%6bey=evil&$key=evil&KEY=evil&api_key=evil&oauth_token=evil&alt=sse'
    const headers = ['Authorization', 'X-Api-Key', 'Api-Key', 'X-Goog-Iam-Authorization-Token']
      .concat(['X-Amz-Security-Token', 'Cookie', 'Proxy-Authorization', 'Range'])
      .map((name) => `${name}: evil`)
    await send(model, lines(`GET ${address} HTTP/1.1`, ...headers, ''))
    expect(seen).toMatchObject([{ url: '/llm/v1?alt=sse', headers: { 'x-api-key': key } }])
    expect(JSON.stringify(seen)).not.toContain('evil')
  })

  test.each([
    ['a trailer that no length goes with', ['Trailer: x', 'Content-Length: 2', '{}']],
    ['a trailer before it may go on', ['Trailer: x', 'Expect: 100-continue', 'Content-Length: 2', '{}']],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3', '{}']],
    [
      'a length and pieces',
      ['Content-Length: 5', 'Transfer-Encoding: chunked', '0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n'],
    ],
    ['pieces of another kind', ['Transfer-Encoding: xchunked', '0\r\n\r\n']],
    ['a header without end', [`X: ${'x'.repeat(100_000)}`, '']],
    ['another protocol', ['Upgrade: websocket', 'Sec-WebSocket-Key: x', '']],
    ['HTTP/2', ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__', '']],
    ['a length with a sign', ['Content-Length: +2', '{}']],
    [
      'pieces before a colon that stands apart',
      ['Transfer-Encoding : chunked', 'Content-Length: 5', '0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n'],
    ],
    [
      'pieces behind a line that goes on',
      ['Content-Length: 5', 'X: y', ' Transfer-Encoding: chunked', '0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n'],
    ],
    [
      'pieces whose length ends in half a line',
      ['Transfer-Encoding: chunked', '2\n{}\n0\n\nGET /admin HTTP/1.1\n\n'],
    ],
  ])('with %s is answered, ends nothing but itself, and is one request at most', async (_, rest) => {
    await send(model, lines('POST /llm/v1 HTTP/1.1', ...rest)).catch(() => '')
    await send(model, lines('GET /llm/v1/after HTTP/1.1', ''))
    expect(seen.length).toBeLessThanOrEqual(2)
    expect(seen.at(-1)).toMatchObject({ url: '/llm/v1/after' })
    expect(seen.filter(({ url }) => url === '/admin')).toEqual([])
  })

  test.each([
    ['no status', 'HTTP/1.1 000 OK\r\n\r\n'],
    ['a trailer and no pieces', 'HTTP/1.1 200 OK\r\nTrailer: x\r\nContent-Length: 2\r\n\r\n{}'],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['another protocol altogether', 'SSH-2.0-OpenSSH\r\n'],
  ])('whose answer has %s ends nothing but itself', async (_, bytes) => {
    const odd = createSocketServer((socket) => void socket.on('error', () => undefined).end(bytes))
    await new Promise((resolve) => odd.listen(0, '127.0.0.1', () => resolve(null)))
    const env = { KEY: key, BASE: `http://127.0.0.1:${(odd.address() as AddressInfo).port}` }
    await opened.close()
    opened = await openGate(gate, { program: 'x', args: [], cwd: '/', env }, home)
    expect(await send(model, lines('GET / HTTP/1.1', ''))).toMatch(/^HTTP\/1.1 (200|502)/)
    odd.close()
  })
})

test('with a key outside, no host of the vendor can be reached in another way, wherever the service is', async () => {
  for (const host of ['api.example.com', 'login.example.com'])
    expect(await send(proxy, `CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 403/,
    )
  expect(refused).toEqual(['api.example.com:443', 'login.example.com:443'])
})

test.each([
  [0, `x${key}y`],
  [1, `x${key.slice(0, 6)}${key}`],
  [3, `${key}${key}`],
  [7, `almost ${key.slice(0, -1)}`],
])('a key that comes in pieces of %i is struck out, and nothing else of the text', async (size, text) => {
  const striker = keyStriker([key])
  let said = ''
  striker.on('data', (chunk: Buffer) => (said += String(chunk)))
  const pieces = size === 0 ? [text] : (text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [])
  for (const piece of pieces) striker.write(Buffer.from(piece))
  striker.end()
  await new Promise((resolve) => striker.once('end', resolve))
  expect(said).toBe(text.replaceAll(key, '*'.repeat(key.length)))
})

/** What a client of TLS says first. */
async function greetingOf(servername: string): Promise<Buffer> {
  const server = createSocketServer((socket) => void socket.once('data', (chunk: Buffer) => heard(chunk)))
  let heard: (chunk: Buffer) => void = () => undefined
  const first = new Promise<Buffer>((resolve) => (heard = resolve))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)))
  const { port } = server.address() as AddressInfo
  const client = connectSecurely({ port, host: '127.0.0.1', ...(servername && { servername }) })
  client.on('error', () => undefined)
  const bytes = await first
  client.destroy()
  server.close()
  return bytes
}

describe('a tunnel to a host of the vendor', () => {
  test('is read as far as the name that it asks for', async () => {
    const bytes = await greetingOf('Api.Example.com')
    expect(readGreeting(bytes)).toEqual({ kind: 'named', host: 'api.example.com' })
    for (const length of [0, 1, 5, 60, bytes.length - 1])
      expect(readGreeting(bytes.subarray(0, length))).toEqual({ kind: 'unfinished' })
    const inTwo = [bytes.subarray(5, 40), bytes.subarray(40)].map((part) =>
      Buffer.concat([Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part]),
    )
    expect(readGreeting(Buffer.concat(inTwo))).toEqual({ kind: 'named', host: 'api.example.com' })
    expect(readGreeting(await greetingOf(''))).toEqual({ kind: 'other' })
    expect(readGreeting(Buffer.from('GET / HTTP/1.1\r\n'))).toEqual({ kind: 'other' })
    const inMany = [...bytes.subarray(5)].map((byte) => Buffer.from([22, 3, 1, 0, 1, byte]))
    expect(readGreeting(Buffer.concat(inMany)), 'takes long to put together').toEqual({ kind: 'other' })
    const lying = Buffer.from(bytes)
    lying.writeUInt16BE(60_000, 5 + 4 + 34)
    expect(readGreeting(lying).kind).not.toBe('named')
  })

  test.each([
    ['the host', 'api.example.com', []],
    [
      'another one at the same address',
      'storage.example.com',
      ['storage.example.com, by the way to api.example.com'],
    ],
    ['nobody', '', ['something without a name, by the way to api.example.com']],
  ])('that asks for %s', async (_, servername, told) => {
    let reached = 0
    const vendor = createSocketServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          reached += 1
          socket.end()
        })
    })
    await new Promise((resolve) => vendor.listen(0, '127.0.0.1', () => resolve(null)))
    const { port } = vendor.address() as AddressInfo
    const outward = {
      authorities: undefined,
      reach: () =>
        new Promise<ReturnType<typeof connect>>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(socket))
        }),
    }
    const server = proxyServer({ hosts: ['api.example.com'], named: [] }, outward, (host) =>
      refused.push(host),
    )
    const path = join(home, 'tunnel.sock')
    await new Promise((resolve) => server.listen(path, () => resolve(null)))
    const greeting = await greetingOf(servername)
    await new Promise((resolve) => {
      const socket = connect(path, () => socket.write('CONNECT api.example.com:443 HTTP/1.1\r\n\r\n'))
      socket.once('data', () => {
        socket.write(greeting.subarray(0, 50))
        socket.write(greeting.subarray(50))
        socket.resume()
      })
      socket.on('close', resolve).on('error', () => undefined)
    })
    server.closeAllConnections()
    server.close()
    vendor.close()
    expect(refused).toEqual(told)
    expect(reached).toBe(told.length === 0 ? 1 : 0)
  })
})
