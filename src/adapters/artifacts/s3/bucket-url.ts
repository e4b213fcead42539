import type { Variables } from '../../process/clean-environment.ts'
import { Fault } from '../../../model/fault.ts'

/** A place in a bucket of an S3-compatible store. */
export interface BucketPlace {
  readonly bucket: string
  /** Empty, or with a slash at its end. */
  readonly prefix: string
  /** Without a slash at its end; the bucket is the first part of every path. */
  readonly endpoint: string
  readonly region: string
  /** How the store is asked to encrypt: `AES256`, `aws:kms`; null leaves it to the bucket. */
  readonly encryption: string | null
  readonly encryptionKey: string | null
}

const known = new Set(['endpoint', 'region', 'sse', 'sse_key'])

/** `s3://bucket/prefix?endpoint=https://…&region=…&sse=aws:kms&sse_key=…` */
export function parseBucketUrl(text: string, env: Variables = {}): BucketPlace {
  const url = URL.canParse(text) ? new URL(text) : null
  const bucket = url?.hostname ?? ''
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || url.username !== '')
    throw wrong(`"${text}" is no bucket`)
  const unknown = [...url.searchParams.keys()].filter((key) => !known.has(key))
  if (unknown.length > 0) throw wrong(`${unknown.join(', ')} is not known of a bucket`)
  const asked = (key: string): string | null => url.searchParams.get(key) || null
  const region = asked('region') ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1'
  const path = decodeURIComponent(url.pathname).replaceAll(/^\/+|\/+$/g, '')
  if (path.split('/').some((part) => part === '.' || part === '..')) throw wrong(`"${path}" is no prefix`)
  return {
    bucket,
    prefix: path === '' ? '' : `${path}/`,
    endpoint: endpointOf(
      asked('endpoint') ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'] ?? null,
      region,
    ),
    region,
    encryption: asked('sse'),
    encryptionKey: asked('sse_key'),
  }
}

function endpointOf(given: string | null, region: string): string {
  if (given === null) return `https://s3.${region}.amazonaws.com`
  const url = URL.canParse(given) ? new URL(given) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw wrong(`"${given}" is no endpoint`)
  return given.replace(/\/+$/, '')
}

const wrong = (what: string): Fault =>
  new Fault('config_invalid', `artifacts.url: ${what}`, {
    hint: 'Write it as s3://bucket/prefix?region=eu-central-1, with &endpoint=https://host for stores other than AWS.',
  })
