import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { HostsGate } from '../../../loop/ports.ts'
import { openGate } from './open-gate.ts'
import { standIn } from './servers.ts'

const home = mkdtempSync(join(tmpdir(), 'fixpoint-gate-test-'))
afterAll(() => rmSync(home, { recursive: true }))

const gate: HostsGate = {
  hosts: [],
  loginHosts: [],
  allowed: [],
  keys: [
    { variable: 'KEY', baseVariable: 'BASE', baseUrl: 'https://api.example.com', header: 'x-api-key' },
    { variable: 'HEADERS', baseVariable: 'BASE', baseUrl: 'https://api.example.com', header: null },
  ],
  onRefused: () => undefined,
  onUsage: () => undefined,
}
const open = (env: Readonly<Record<string, string>>, args: readonly string[] = []) =>
  openGate(gate, { program: 'x', args, cwd: '/', env }, home)

/** A service on loopback that answers every request in the same way, and what it was asked. */
async function serve(answer: string, status = 200) {
  const seen: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = []
  const server = createServer(({ url, headers }, response) => {
    seen.push({ url, headers })
    response.writeHead(status).end(answer)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { seen, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, server }
}

/** Asks through one of the doors, as a program in the jail does. */
const ask = (socketPath: string, path: string, headers: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ socketPath, path, method: 'POST', headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += String(chunk))).on('end', () => resolve(text))
    })
      .on('error', reject)
      .end('{}')
  })

const tunnel = (socketPath: string, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ socketPath, method: 'CONNECT', path })
      .on('connect', ({ statusCode }, socket) => {
        socket.destroy()
        resolve(statusCode)
      })
      .on('error', reject)
      .end()
  })

test('a request to the model gets the real key and headers outside, and the program knows neither', async () => {
  const { seen, base, server } = await serve('hello')
  const opened = await open({ KEY: 'real', HEADERS: 'X-Team: a\nX-Two: b', BASE: base }, [`url="${base}"`])
  try {
    expect(JSON.stringify([opened.env, opened.args])).not.toMatch(/real|X-Team/)
    expect(opened.env).toMatchObject({ KEY: standIn, BASE: 'http://127.0.0.1:3129/v1' })
    expect(opened.args).toEqual(['url="http://127.0.0.1:3129/v1"'])
    const [, [, door] = [0, '']] = opened.doors
    const headers = { 'x-api-key': standIn, host: 'evil.example' }
    expect(await ask(door, `/v1/messages?key=${standIn}`, headers)).toBe('hello')
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

test('a program cannot send what it read to an account of its own at the same service', async () => {
  const { seen, base, server } = await serve('hello')
  const withOther = await open({ KEY: 'real', BASE: base })
  const refused: string[] = []
  const vendor = {
    ...gate,
    hosts: ['api.example.com'],
    loginHosts: ['api.example.com'],
    onRefused: (host: string) => refused.push(host),
  }
  const withVendor = await openGate(vendor, { program: 'x', args: [], cwd: '/', env: { KEY: 'real' } }, home)
  try {
    const [, [, door] = [0, '']] = withOther.doors
    const own = {
      authorization: 'Bearer evil',
      'x-api-key': 'evil',
      'x-goog-api-key': 'evil',
      cookie: 'evil',
    }
    await ask(door, '/v1/files?key=evil&access_token=evil', own)
    expect(JSON.stringify(seen)).not.toContain('evil')
    expect(seen).toMatchObject([{ url: '/v1/files', headers: { 'x-api-key': 'real' } }])
    const [[, proxy] = [0, '']] = withVendor.doors
    expect(await tunnel(proxy, 'api.example.com:443')).toBe(403)
    expect(refused).toEqual(['api.example.com:443'])
  } finally {
    await withOther.close()
    await withVendor.close()
    server.close()
  }
})

test.each([
  [503, [503]],
  [429, [429]],
  [200, []],
  [400, []],
])('a service that answers %i is told of as busy: %j', async (status, told) => {
  const { base, server } = await serve('{}', status)
  const busy: number[] = []
  const opened = await openGate(
    { ...gate, onBusy: (answered) => busy.push(answered) },
    { program: 'x', args: [], cwd: '/', env: { KEY: 'real', BASE: base } },
    home,
  )
  const [, [, door] = [0, '']] = opened.doors
  await ask(door, '/v1/messages', {})
  await opened.close()
  server.close()
  expect(busy).toEqual(told)
})

test('each refused host is told once, and not without end', async () => {
  const refused: string[] = []
  const opened = await openGate(
    { ...gate, onRefused: (host) => refused.push(host) },
    { program: 'x', args: [], cwd: '/', env: {} },
    home,
  )
  const [[, proxy] = [0, '']] = opened.doors
  for (let index = 0; index < 120; index += 1)
    await tunnel(proxy, `host-${Math.floor(index / 2)}.example:443`)
  await opened.close()
  expect(refused.length).toBe(50)
  expect(new Set(refused).size).toBe(50)
})

test.each([
  [
    'anthropic',
    'data: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":3,"output_tokens":1}}}\n\ndata: {"type":"message_delta","usage":{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":3,"output_tokens":7}}\n\n',
    [['claude-x', { input: 15, cachedInput: 3, output: 7 }]],
  ],
  [
    'a stream that was cut',
    'data: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":10,"cache_read_input_tokens":0,"output_tokens":1}}}\n\ndata: {"type":"content_block_delta","delta":{"text":"\\"usage\\":{\\"input_tokens\\":99}"',
    [['claude-x', { input: 10, cachedInput: 0, output: 1 }]],
  ],
  [
    'openai',
    'event: x\ndata: {"type":"response.completed","response":{"model":"gpt-x","usage":{"input_tokens":20,"input_tokens_details":{"cached_tokens":8},"output_tokens":4}}}\n\n',
    [['gpt-x', { input: 12, cachedInput: 8, output: 4 }]],
  ],
  [
    'openai chat',
    '{"model":"gpt-x","usage":{"prompt_tokens":20,"completion_tokens":4}}',
    [['gpt-x', { input: 20, cachedInput: 0, output: 4 }]],
  ],
  [
    'gemini',
    'data: {"modelVersion":"gemini-x","usageMetadata":{"promptTokenCount":30,"cachedContentTokenCount":10,"candidatesTokenCount":2,"thoughtsTokenCount":3}}\n\n',
    [['gemini-x', { input: 20, cachedInput: 10, output: 5 }]],
  ],
  ['nothing that it understands', '"usage" {"usage": 7}', []],
])('what an answer of %s used is counted on its way', async (_, body, expected) => {
  const { base, server } = await serve(body)
  let counted: readonly unknown[] = []
  const opened = await openGate(
    { ...gate, onUsage: (byModel) => (counted = [...byModel]) },
    { program: 'x', args: [], cwd: '/', env: { KEY: 'real', BASE: base } },
    home,
  )
  try {
    const [, [, door] = [0, '']] = opened.doors
    expect(await ask(door, '/v1', {})).toBe(body)
    await ask(door, '/v1', {})
    const twice = expected.map(([model, counts]) => [
      model,
      expect.objectContaining(
        Object.fromEntries(
          Object.entries(counts as object).map(([name, value]) => [name, 2 * (value as number)]),
        ),
      ),
    ])
    expect(counted).toEqual(twice)
  } finally {
    await opened.close()
    server.close()
  }
})

/** A certificate of an authority of its own, and a service that shows it. */
async function serveSecurely(name: string) {
  const file = (part: string): string => join(home, `${name}.${part}`)
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...made, ...subject, '-keyout', file('key'), '-out', file('pem')], {
    stdio: 'pipe',
  })
  const tls = { key: readFileSync(file('key')), cert: readFileSync(file('pem')) }
  const server = createSecureServer(tls, ({ headers }, answer) => {
    answer.end(`hello ${String(headers['x-api-key'])}`)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { server, port: (server.address() as AddressInfo).port, authority: file('pem') }
}

/** A proxy as companies have them: the only way out, with a login. */
async function serveProxy(port: number) {
  const seen: unknown[] = []
  const server = createServer().on('connect', ({ url, headers }, socket: Socket) => {
    seen.push([url, headers['proxy-authorization']])
    const outer = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(outer).pipe(socket)
    })
    for (const end of [socket, outer]) end.on('error', () => end.destroy())
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { seen, server, url: `http://me:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('the person’s proxy and certificates lead outwards, and a service without such a certificate is not believed', async () => {
  const service = await serveSecurely('model.example')
  const proxy = await serveProxy(service.port)
  const env = { KEY: 'real', BASE: 'https://model.example', HTTPS_PROXY: proxy.url }
  const trusting = await open({ ...env, NODE_EXTRA_CA_CERTS: service.authority })
  const doubting = await open(env)
  try {
    expect(await ask(trusting.doors[1]?.[1] ?? '', '/v1', {})).toBe('hello real')
    expect(await ask(doubting.doors[1]?.[1] ?? '', '/v1', {})).toBe('')
    const login = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
    expect(proxy.seen).toEqual([1, 2].map(() => ['model.example:443', login]))
    expect(JSON.stringify([trusting.env, doubting.env])).not.toContain('p%40ss')
  } finally {
    for (const opened of [trusting, doubting]) await opened.close()
    service.server.close()
    proxy.server.closeAllConnections()
    proxy.server.close()
  }
})

test('a host of the vendor that leads into a private network is refused and told', async () => {
  const refused: string[] = []
  const vendor = {
    ...gate,
    hosts: ['localhost'],
    loginHosts: ['localhost'],
    onRefused: (host: string) => refused.push(host),
  }
  const opened = await openGate(vendor, { program: 'x', args: [], cwd: '/', env: {} }, home)
  expect(await tunnel(opened.doors[0]?.[1] ?? '', 'localhost:443')).toBe(502)
  await opened.close()
  expect(refused).toEqual([expect.stringMatching(/^localhost, which leads to the private address (127|::1)/)])
})

test('of two keys of one service the request gets the one that it uses, and both when it uses none', async () => {
  const { seen, base, server } = await serve('hello')
  const both = [
    { variable: 'KEY', baseVariable: 'BASE', baseUrl: '', header: 'x-api-key' },
    { variable: 'TOKEN', baseVariable: 'BASE', baseUrl: '', header: 'authorization', prefix: 'Bearer ' },
    { variable: 'OTHER', baseVariable: 'BASE', baseUrl: '', header: 'authorization', prefix: 'Bearer ' },
  ]
  const env = { KEY: 'a', TOKEN: 'b', OTHER: 'c', BASE: base }
  const opened = await openGate({ ...gate, keys: both }, { program: 'x', args: [], cwd: '/', env }, home)
  const door = opened.doors[1]?.[1] ?? ''
  for (const headers of [{ authorization: `Bearer ${standIn}` }, { 'x-api-key': standIn }, {}])
    await ask(door, '/v1', headers)
  await opened.close()
  server.close()
  expect(seen.map(({ headers }) => [headers['x-api-key'], headers['authorization']])).toEqual([
    [undefined, 'Bearer b'],
    ['a', undefined],
    ['a', 'Bearer b'],
  ])
})

test('a certificate that is named and not there is told by its name', async () => {
  await expect(open({ SSL_CERT_FILE: '/nowhere/ca.pem' })).rejects.toThrow(
    'SSL_CERT_FILE names /nowhere/ca.pem, which cannot be read',
  )
})

test('a key whose service cannot be understood does not go in either', async () => {
  const opened = await open({ KEY: 'real', BASE: 'no url' })
  expect(opened.env['KEY']).toBeUndefined()
  await opened.close()
})
