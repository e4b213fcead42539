import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Variables } from '../../process/clean-environment.ts'
import { Fault } from '../../../model/fault.ts'

export interface BucketCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** They are looked for again in time before this moment. */
  readonly expiresMs?: number
}

/** As AWS's own tools find them: the variables first, then the profile in the shared file, then the role of the container. */
export async function findCredentials(env: Variables): Promise<BucketCredentials> {
  const own = credentialsIn({
    aws_access_key_id: env['AWS_ACCESS_KEY_ID'],
    aws_secret_access_key: env['AWS_SECRET_ACCESS_KEY'],
    aws_session_token: env['AWS_SESSION_TOKEN'],
  })
  if (own) return own
  const file = env['AWS_SHARED_CREDENTIALS_FILE'] ?? join(env['HOME'] ?? homedir(), '.aws', 'credentials')
  const profile = env['AWS_PROFILE'] ?? 'default'
  const text = await readFile(file, 'utf8').catch(() => '')
  const found = credentialsIn(readProfile(text, profile))
  if (found) return found
  const ofRole = await readRole(env)
  if (ofRole) return ofRole
  throw new Fault('artifacts_unreachable', 'there are no credentials for the bucket that keeps artifacts', {
    hint: `Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write the profile "${profile}" into ${file}.`,
  })
}

const RoleAnswer = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  Token: z.string().optional(),
  Expiration: z.iso.datetime({ offset: true }).optional(),
})

/** Where the service of a container's role answers; the credentials go nowhere else in the clear. */
const roleHosts: readonly string[] = [
  '127.0.0.1',
  'localhost',
  '[::1]',
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
]
const roleTimeoutMs = 5_000

/** Asks for the role that ECS or the Pod Identity of EKS gives to a container; null outside of one. */
async function readRole(env: Variables): Promise<BucketCredentials | null> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path, AWS_CONTAINER_CREDENTIALS_FULL_URI: whole } = env
  const url = URL.parse(path ? `http://169.254.170.2${path}` : (whole ?? ''))
  if (url === null) return null
  if (url.protocol !== 'https:' && !roleHosts.includes(url.hostname))
    throw roleFault(`${url.host} is no address of such a service`)
  try {
    const headers = await roleHeaders(env)
    // Somewhere else is no such service, and might be asked or answer in the clear.
    const answer = await fetch(url, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(roleTimeoutMs),
    })
    if (!answer.ok) throw new Error(`it answers ${answer.status}`)
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = RoleAnswer.parse(await answer.json())
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      ...(Token && { sessionToken: Token }),
      ...(Expiration && { expiresMs: Date.parse(Expiration) }),
    }
  } catch (error) {
    throw roleFault(error instanceof z.ZodError ? 'it answers something else' : String(error), error)
  }
}

/** The file is read each time: the platform writes a new token into it again and again. */
async function roleHeaders(env: Variables): Promise<Readonly<Record<string, string>>> {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file, AWS_CONTAINER_AUTHORIZATION_TOKEN: given } = env
  const token = file ? (await readFile(file, 'utf8')).trim() : given
  return token ? { authorization: token } : {}
}

const roleFault = (why: string, cause?: unknown): Fault =>
  new Fault(
    'artifacts_unreachable',
    `the role of this container gives no credentials for the bucket: ${why}`,
    {
      cause,
      hint: 'Look at AWS_CONTAINER_CREDENTIALS_FULL_URI and at what the role may do.',
    },
  )

function credentialsIn(given: Readonly<Record<string, string | undefined>>): BucketCredentials | null {
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: session } = given
  if (!id || !secret) return null
  return { accessKeyId: id, secretAccessKey: secret, ...(session && { sessionToken: session }) }
}

/** The keys of one `[profile]` of an INI file. */
export function readProfile(text: string, profile: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  let isWanted = false
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*(.+?)\s*\]/.exec(line)?.[1]
    if (section !== undefined) isWanted = section === profile
    const pair = /^\s*([a-z_]+)\s*=\s*(\S.*?)\s*$/.exec(line)
    if (isWanted && pair) found[pair[1] ?? ''] = pair[2] ?? ''
  }
  return found
}
