import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Variables } from '../../process/clean-environment.ts'
import { Fault } from '../../../model/fault.ts'

export interface BucketCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** As AWS's own tools find them: the variables first, then the profile in the shared file. */
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
  throw new Fault('artifacts_unreachable', 'there are no credentials for the bucket that keeps artifacts', {
    hint: `Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write the profile "${profile}" into ${file}.`,
  })
}

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
