import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { createBucket, readPage, type Bucket } from './bucket.ts'
import { parseBucketUrl } from './bucket-url.ts'
import { findCredentials, readProfile } from './credentials.ts'

describe('the address of a bucket', () => {
  it('says where and how, and takes the rest from the variables of AWS', () => {
    expect(parseBucketUrl('s3://team-bucket/a/b/?region=eu-west-1&sse=aws:kms&sse_key=k')).toEqual({
      bucket: 'team-bucket',
      prefix: 'a/b/',
      endpoint: 'https://s3.eu-west-1.amazonaws.com',
      region: 'eu-west-1',
      encryption: 'aws:kms',
      encryptionKey: 'k',
    })
    const env = { AWS_REGION: 'us-west-2', AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000/' }
    expect(parseBucketUrl('s3://bucket', env)).toMatchObject({
      prefix: '',
      endpoint: 'http://127.0.0.1:9000',
      region: 'us-west-2',
    })
  })

  it.each([
    's3://',
    's3://A',
    's3://u:p@bucket',
    's3://bucket?nope=1',
    's3://bucket?endpoint=file:///x',
    'http://bucket',
    's3://bucket/a%2F..%2Fx',
  ])('is not %s', (url) => {
    expect(() => parseBucketUrl(url)).toThrow('artifacts.url')
  })
})

test('every object is sent with the encryption that the address asks for', async () => {
  const sent: unknown[] = []
  const store = createServer(({ method, url, headers }, answer) => {
    const { authorization = '' } = headers
    const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';')
    const name = 'x-amz-server-side-encryption'
    const key = `${name}-aws-kms-key-id`
    sent.push([method, url, headers[name], headers[key], signed?.includes(name), signed?.includes(key)])
    answer.end()
  }).listen(0, '127.0.0.1')
  await once(store, 'listening')
  const { port } = store.address() as AddressInfo
  const place = parseBucketUrl(
    `s3://team-bucket/a?region=eu-west-1&sse=aws:kms&sse_key=k&endpoint=http://127.0.0.1:${port}`,
  )
  const bucket = createBucket(place, async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }))
  await bucket.put('a/text', 'text')
  await bucket.put('a/bytes', new Uint8Array([1]))
  store.close()
  expect(sent).toEqual([
    ['PUT', '/team-bucket/a/text', 'aws:kms', 'k', true, true],
    ['PUT', '/team-bucket/a/bytes', 'aws:kms', 'k', true, true],
  ])
})

describe('an object', () => {
  const store = createServer()
  const readers: ((answer: ServerResponse) => void)[] = []
  store.on('request', (_request, answer) => readers.shift()?.(answer))
  const open = (): Bucket => {
    const { port } = store.address() as AddressInfo
    const place = parseBucketUrl(`s3://team-bucket/a?region=r&endpoint=http://127.0.0.1:${port}`)
    return createBucket(place, async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }))
  }
  beforeAll(() => once(store.listen(0, '127.0.0.1'), 'listening'))
  afterEach(() => vi.useRealTimers())
  afterAll(() => store.close())

  it('comes as slowly as its reader takes it, and as the store sends it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const sending = Promise.withResolvers<ServerResponse>()
    readers.push((answer) => {
      answer.write('one ')
      sending.resolve(answer)
    })
    const reader = (await open().stream('large'))!.getReader()
    const read = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString()
    expect(await read()).toBe('one ')
    const answer = await sending.promise
    for (const piece of ['two ', 'three']) {
      const next = read()
      await vi.advanceTimersByTimeAsync(25_000)
      answer.write(piece)
      expect(await next).toBe(piece)
      await vi.advanceTimersByTimeAsync(90_000)
    }
    answer.end()
    expect((await reader.read()).done).toBe(true)
  })

  it('that does not come to its end is a fault of the store, which passes by itself', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    readers.push((answer) => void answer.write('one '))
    const stalled = (await open().stream('stalls'))!
    const silent = new Response(stalled).text().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(1_000)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await silent).toMatchObject({
      code: 'artifacts_unreachable',
      message: expect.stringContaining('nothing came for 30 s'),
    })
    readers.push((answer) => void answer.write('one ', () => answer.destroy()))
    const cut = (await open().stream('is cut'))!
    await expect(new Response(cut).text()).rejects.toMatchObject({ code: 'artifacts_unreachable' })
  })

  it('that is read as a whole is asked for again when it is cut off', async () => {
    readers.push((answer) => void answer.write('one ', () => answer.destroy()))
    readers.push((answer) => void answer.end('one two'))
    expect(await open().get('text')).toBe('one two')
    expect(readers).toEqual([])
  })
})

describe('the role of a container', () => {
  const asked: unknown[] = []
  let expiresInMs = 3_600_000
  let answer: object | null = null
  const service = createServer(({ url, headers }, response) => {
    asked.push([url, headers.authorization])
    const Expiration = new Date(Date.now() + expiresInMs).toISOString()
    response.statusCode = answer === null ? 200 : 403
    response.end(JSON.stringify(answer ?? { AccessKeyId: 'a', SecretAccessKey: 'b', Token: 'c', Expiration }))
  })
  const store = createServer((request, response) => {
    asked.push(request.headers['x-amz-security-token'])
    response.end()
  })
  const portOf = (server: typeof service): number => (server.address() as AddressInfo).port
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-role-'))
  const env = (more: Readonly<Record<string, string>> = {}) => ({
    HOME: folder,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${portOf(service)}/v1/credentials`,
    ...more,
  })
  const findNow = (more?: Readonly<Record<string, string>>) => findCredentials(env(more))
  beforeAll(async () => {
    for (const server of [service, store]) await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterEach(() => {
    asked.length = 0
    answer = null
  })
  afterAll(() => {
    service.close()
    store.close()
    rmSync(folder, { recursive: true })
  })

  it('is asked for with the token of its file, until its credentials are about to run out', async () => {
    const file = join(folder, 'token')
    writeFileSync(file, 'let me in\n')
    const place = parseBucketUrl(`s3://bucket?region=r&endpoint=http://127.0.0.1:${portOf(store)}`)
    const bucket = createBucket(place, () => findNow({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file }))
    const role = ['/v1/credentials', 'let me in']
    await bucket.put('one', '')
    expiresInMs = 60_000
    await bucket.put('two', '')
    expect(asked).toEqual([role, 'c', 'c'])
    const again = createBucket(place, () => findNow({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file }))
    await again.put('one', '')
    await again.put('two', '')
    expect(asked.slice(3)).toEqual([role, 'c', role, 'c'])
  })

  it('is asked once for all that need new credentials at the same time', async () => {
    const place = parseBucketUrl(`s3://bucket?region=r&endpoint=http://127.0.0.1:${portOf(store)}`)
    const bucket = createBucket(place, findNow)
    expiresInMs = 60_000
    await bucket.put('one', '')
    expiresInMs = 3_600_000
    await Promise.all([bucket.put('two', ''), bucket.put('three', ''), bucket.put('four', '')])
    expect(asked.filter((one) => Array.isArray(one))).toHaveLength(2)
  })

  it('counts after the variables and the profile', async () => {
    const keys = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' }
    expect(await findNow(keys)).toEqual({ accessKeyId: 'x', secretAccessKey: 'y' })
    expect(asked).toEqual([])
  })

  it('that is refused, or is said to be anywhere else, is a fault', async () => {
    answer = { message: 'no' }
    await expect(findNow()).rejects.toThrow('gives no credentials for the bucket: Error: it answers 403')
    const elsewhere = createServer((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${portOf(service)}/v1/credentials` }).end()
    })
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    answer = null
    const uri = `http://127.0.0.1:${portOf(elsewhere)}/`
    await expect(findNow({ AWS_CONTAINER_CREDENTIALS_FULL_URI: uri })).rejects.toThrow('gives no credentials')
    elsewhere.close()
    await expect(
      findNow({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://192.0.2.1/v1/credentials' }),
    ).rejects.toThrow('192.0.2.1 is no address of such a service')
  })
})

test('a page of a list has keys, their size, folders and where it goes on; broken ones are faults', () => {
  const xml = `<?xml version="1.0"?><ListBucketResult xmlns="x"><Name>b</Name><Prefix>p/</Prefix>
    <Contents><Key>p/a &amp; b</Key><Size>1</Size></Contents><Contents><Key>p/d</Key><Size>20</Size></Contents><CommonPrefixes><Prefix>p/c/</Prefix></CommonPrefixes>
    <NextContinuationToken>t</NextContinuationToken></ListBucketResult>`
  expect(readPage(xml)).toEqual({ keys: ['p/a & b', 'p/d'], folders: ['p/c/'], bytes: 21, next: 't' })
  expect(() => readPage('<html>')).toThrow('no XML')
})

test('a profile of the shared file has its own keys only', () => {
  const text =
    '[default]\naws_access_key_id = a\n[ team ]\r\naws_access_key_id=b\r\naws_secret_access_key = c d \n[x]\n'
  expect(readProfile(text, 'team')).toEqual({ aws_access_key_id: 'b', aws_secret_access_key: 'c d' })
  expect(readProfile(text, 'nobody')).toEqual({})
})
