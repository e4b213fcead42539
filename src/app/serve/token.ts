import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../model/fault.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'

const fileName = 'server-token'
const leastLength = 16

/** The token of this home's server: `FIXPOINT_TOKEN`, else the one in its file, made at the first start. */
export async function readToken(home: string, env: Variables): Promise<string> {
  const given = env['FIXPOINT_TOKEN']
  if (given !== undefined && given !== '') return requireToken(given, 'FIXPOINT_TOKEN')
  const file = join(home, fileName)
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    await writeFile(file, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    if (!isThere(cause)) throw new Fault('home_unusable', `${file} cannot be written`, { cause })
  }
  await chmod(file, 0o600)
  return requireToken((await readFile(file, 'utf8')).trim(), file)
}

const isThere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST'

function requireToken(text: string, where: string): string {
  if (text.length >= leastLength && /^[\x21-\x7e]+$/.test(text)) return text
  throw new Fault('usage', `the token in ${where} is too weak to protect anything`, {
    hint: `Give at least ${leastLength} characters without spaces, or remove it to have one made.`,
  })
}
