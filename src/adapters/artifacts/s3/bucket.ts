import { AwsClient } from 'aws4fetch'
import { setTimeout } from 'node:timers/promises'
import { SaxesParser } from 'saxes'
import { Fault } from '../../../model/fault.ts'
import type { BucketPlace } from './bucket-url.ts'
import type { BucketCredentials } from './credentials.ts'
import { watchedFetch } from './watched-fetch.ts'

/** Objects of a bucket, by their keys. */
export interface Bucket {
  put(key: string, content: string | Uint8Array): Promise<void>
  /** Null when there is no such object. */
  get(key: string): Promise<string | null>
  /** The same as it comes, however large it is. */
  stream(key: string): Promise<ReadableStream<Uint8Array> | null>
  /** An address that holds for some minutes, for whoever has it. */
  link(key: string): Promise<string>
  /** Asks once whether the store answers. */
  reach(prefix: string): Promise<void>
  remove(key: string): Promise<void>
  /** The keys below a prefix; with `folders` only the next part of each, with its slash. */
  list(prefix: string, what: 'keys' | 'folders'): Promise<readonly string[]>
  /** What the objects below a prefix take, by the sizes that the list of them tells. */
  bytes(prefix: string): Promise<number>
}

/** How long the store may say nothing, and, beside that, how slowly it may take what is sent. */
const silentMs = 30_000
const slowestBytesPerMs = 250
const reachMs = 2_000
const linkSeconds = 300
/** How long to wait before each further try; after the last one the store counts as away. */
const pausesMs = [100, 400, 1_600, 3_200]

export function createBucket(place: BucketPlace, credentials: () => Promise<BucketCredentials>): Bucket {
  const { endpoint, bucket, region, encryption, encryptionKey } = place
  const client = createClient(region, credentials)
  const where = `${bucket} at ${endpoint}`
  const send = sendTo(where, client)
  const urlOf = (key: string): string =>
    `${endpoint}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
  const pageUrl = (query: URLSearchParams): string => `${endpoint}/${bucket}?${query.toString()}`
  const readList = async (query: URLSearchParams) => (await send(pageUrl(query), { method: 'GET' })).text()
  return {
    async put(key, content) {
      const headers = {
        'content-type':
          typeof content === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream',
        ...(encryption && { 'x-amz-server-side-encryption': encryption }),
        ...(encryptionKey && { 'x-amz-server-side-encryption-aws-kms-key-id': encryptionKey }),
      }
      await send(urlOf(key), { method: 'PUT', body: content, headers }, { bytes: Buffer.byteLength(content) })
    },
    async get(key) {
      const response = await send(urlOf(key), { method: 'GET' }, { missing: 404 })
      return response.status === 404 ? null : response.text()
    },
    async stream(key) {
      const response = await send(urlOf(key), { method: 'GET' }, { missing: 404, isWhole: false })
      return response.status === 404 ? null : response.body
    },
    async link(key) {
      const url = new URL(urlOf(key))
      url.searchParams.set('X-Amz-Expires', String(linkSeconds))
      return (await (await client()).sign(url.href, { method: 'GET', aws: { signQuery: true } })).url
    },
    async reach(prefix) {
      const url = pageUrl(new URLSearchParams({ 'list-type': '2', 'max-keys': '1', prefix }))
      const signed = await client()
      const once = () => signed.fetch(url, { method: 'GET', signal: AbortSignal.timeout(reachMs) })
      await (await retrying(where, once, { pauses: [] })).arrayBuffer()
    },
    async remove(key) {
      await send(urlOf(key), { method: 'DELETE' })
    },
    list: (prefix, what) => listAll(pagesOf(prefix, what, readList), what),
    bytes: (prefix) => sumBytes(pagesOf(prefix, 'keys', readList)),
  }
}

interface SendTerms {
  readonly missing?: 404
  /** What is sent. */
  readonly bytes?: number
  /** Whether all of the answer is read at once. */
  readonly isWhole?: boolean
}

/** Sends requests, each again after a failure that may pass by itself. */
const sendTo =
  (where: string, client: () => Promise<AwsClient>) =>
  async (url: string, init: RequestInit, terms: SendTerms = {}): Promise<Response> => {
    const signed = await client()
    const { missing, bytes = 0, isWhole = true } = terms
    const once = async (): Promise<Response> => {
      const response = await watchedFetch((signal) => signed.fetch(url, { ...init, signal }), {
        beginMs: silentMs + bytes / slowestBytesPerMs,
        silentMs,
        faultOf: (error) => awayFault(where, error),
      })
      // What is cut off is asked for again, unless somebody reads it already.
      return isWhole || !response.ok ? readWhole(response) : response
    }
    return retrying(where, once, { missing })
  }

const readWhole = async (response: Response): Promise<Response> =>
  response.body === null ? response : new Response(await response.arrayBuffer(), response)

/** All pages of a list. */
async function* pagesOf(
  prefix: string,
  what: 'keys' | 'folders',
  read: (query: URLSearchParams) => Promise<string>,
): AsyncGenerator<Page> {
  let token: string | null = null
  do {
    const query = new URLSearchParams({ 'list-type': '2', prefix })
    if (what === 'folders') query.set('delimiter', '/')
    if (token !== null) query.set('continuation-token', token)
    const page = readPage(await read(query))
    yield page
    token = page.next
  } while (token !== null)
}

async function listAll(pages: AsyncIterable<Page>, what: 'keys' | 'folders'): Promise<readonly string[]> {
  const found: string[] = []
  for await (const page of pages) found.push(...page[what])
  return found.toSorted()
}

async function sumBytes(pages: AsyncIterable<Page>): Promise<number> {
  let sum = 0
  for await (const page of pages) sum += page.bytes
  return sum
}

/** Credentials that end so soon are not begun with any more. */
const renewMs = 5 * 60_000

/** The client, made with the first request; credentials that could not be found, or that run out, are looked for again. */
function createClient(
  region: string,
  credentials: () => Promise<BucketCredentials>,
): () => Promise<AwsClient> {
  let opened: Promise<AwsClient> | null = null
  let endsMs = Number.POSITIVE_INFINITY
  return () => {
    if (Date.now() > endsMs - renewMs) {
      opened = null
      // Whoever comes while they are looked for waits for the same ones.
      endsMs = Number.POSITIVE_INFINITY
    }
    return (opened ??= credentials().then(
      ({ expiresMs, ...found }) => {
        endsMs = expiresMs ?? Number.POSITIVE_INFINITY
        return new AwsClient({ ...found, region, service: 's3', retries: 0 })
      },
      (error: unknown) => {
        opened = null
        throw error
      },
    ))
  }
}

/** Tries again after a failure that may pass by itself. A refusal does not pass; its fault names the store's own code. */
async function retrying(
  where: string,
  send: () => Promise<Response>,
  { missing, pauses = pausesMs }: { readonly missing?: 404 | undefined; readonly pauses?: readonly number[] },
): Promise<Response> {
  for (let tries = 0; ; tries += 1) {
    const answer = await send().catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    )
    const isAnswer = !(answer instanceof Error)
    if (isAnswer && (answer.ok || answer.status === missing)) return answer
    const pauseMs = pauses[tries]
    if (pauseMs === undefined || (isAnswer && answer.status < 500 && answer.status !== 429))
      throw isAnswer ? await refusedFault(where, answer) : awayFault(where, answer)
    await setTimeout(pauseMs * (1 + Math.random() * 0.2))
  }
}

function awayFault(where: string, error: Error): Fault {
  if (error instanceof Fault) return error
  const message = `the bucket ${where} that keeps artifacts cannot be reached: ${error.message}`
  return new Fault('artifacts_unreachable', message, { cause: error })
}

async function refusedFault(where: string, answer: Response): Promise<Fault> {
  const said = /<Code>(\w+)<\/Code>/.exec(await answer.text().catch(() => ''))?.[1]
  const message = `the bucket ${where} that keeps artifacts answers ${answer.status}${said ? ` (${said})` : ''}`
  return new Fault('artifacts_unreachable', message)
}

interface Page {
  readonly keys: readonly string[]
  readonly folders: readonly string[]
  /** What the objects of this page take. */
  readonly bytes: number
  readonly next: string | null
}

/** What a ListObjectsV2 answers. */
export function readPage(xml: string): Page {
  const keys: string[] = []
  const folders: string[] = []
  let bytes = 0
  let next: string | null = null
  const path: string[] = []
  let text = ''
  const parser = new SaxesParser()
  parser.on('opentag', ({ name }) => {
    path.push(name)
    text = ''
  })
  parser.on('text', (piece) => (text += piece))
  parser.on('closetag', () => {
    const at = path.slice(-2).join('/')
    if (at === 'Contents/Key') keys.push(text)
    if (at === 'Contents/Size') bytes += Number(text)
    if (at === 'CommonPrefixes/Prefix') folders.push(text)
    if (at.endsWith('/NextContinuationToken') && text !== '') next = text
    path.pop()
    text = ''
  })
  try {
    parser.write(xml).close()
  } catch (cause) {
    throw new Fault('artifacts_unreachable', 'the list of artifacts is no XML', { cause })
  }
  return { keys, folders, bytes, next }
}
