import { createHmac, hash, timingSafeEqual, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { Fault } from '../../model/fault.ts'

export interface Auth {
  /** Whether a request proves that it knows the token, by its bearer header or by the cookie of a log-in. */
  isAuthorized(headers: {
    readonly authorization: string | undefined
    readonly cookie: string | undefined
  }): boolean
  isToken(text: string): boolean
  /** The `Set-Cookie` of a log-in. */
  readonly loginCookie: string
  readonly logoutCookie: string
}

/** The token is never sent back: the cookie holds something that only its owner could have made. */
export function createAuth(token: string): Auth {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
  const matcher = (expected: string): ((given: string) => boolean) => {
    const known = digest(expected)
    return (given) => timingSafeEqual(digest(given), known)
  }
  const derive = (purpose: string): string => createHmac('sha256', token).update(purpose).digest('hex')
  // Cookies are shared by all ports of a host: two servers must not take each other's.
  const name = `fixpoint_${derive('fixpoint cookie name').slice(0, 12)}`
  const value = derive('fixpoint cookie value')
  const isToken = matcher(token)
  const isCookie = matcher(value)
  const attributes = 'Path=/; HttpOnly; SameSite=Strict'
  return {
    isAuthorized: ({ authorization, cookie }) => {
      const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
      if (bearer !== undefined) return isToken(bearer)
      const given = cookieValue(cookie ?? '', name)
      return given !== null && isCookie(given)
    },
    isToken,
    loginCookie: `${name}=${value}; ${attributes}; Max-Age=2592000`,
    logoutCookie: `${name}=; ${attributes}; Max-Age=0`,
  }
}

function cookieValue(header: string, name: string): string | null {
  const found = header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
  return found === undefined ? null : found.slice(name.length + 1)
}

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
