import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import { hashToken } from '../../app/people/access-tokens.ts'
import type { AccessTokenStore, KeptToken } from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import { personOf } from '../../model/people/access-token.ts'
import type { Person } from '../../model/people/person.ts'
import type { TrustedProxy } from './trusted-proxy.ts'

export interface Auth {
  /** Who a request comes from: by its bearer header, the cookie of a log-in, or the word of a trusted proxy. */
  identify(headers: IncomingHttpHeaders, peer: string): Promise<Person | null>
  /** Who a token lets in, with the `Set-Cookie` of the log-in; null when it lets nobody in. */
  logIn(token: string): Promise<{ readonly person: Person; readonly cookie: string } | null>
  readonly logoutCookie: string
}

export interface AuthParts {
  /** The server's own, which lets its owner do everything. */
  readonly token: string
  readonly tokens: Pick<AccessTokenStore, 'find'>
  readonly proxy: TrustedProxy
}

const owner: Person = { name: 'owner', role: 'admin', repositories: null, tokenId: null }

/** Tokens are never sent back: a cookie holds a value that only this server could have made for that token. */
export function createAuth({ token, tokens, proxy }: AuthParts): Auth {
  const derive = (purpose: string): string => createHmac('sha256', token).update(purpose).digest('hex')
  // Cookies are shared by all ports of a host: two servers must not take each other's.
  const name = `fixpoint_${derive('fixpoint cookie name').slice(0, 12)}`
  const ownersValue = derive('fixpoint cookie value')
  const valueOf = (kept: KeptToken): string => `${kept.token.id}.${derive(`fixpoint cookie of ${kept.hash}`)}`
  const byText = async (text: string): Promise<KeptToken | null> => tokens.find({ hash: hashToken(text) })
  const byCookie = async (value: string): Promise<Person | null> => {
    if (isSame(value, ownersValue)) return owner
    const id = /^(tok_[0-9a-z]+)\.[0-9a-f]{64}$/.exec(value)?.[1]
    const kept = id === undefined ? null : await tokens.find({ id })
    return kept && isSame(value, valueOf(kept)) ? personOf(kept.token) : null
  }
  const attributes = 'Path=/; HttpOnly; SameSite=Strict'
  const cookieOf = (value: string): string => `${name}=${value}; ${attributes}; Max-Age=2592000`
  return {
    async identify(headers, peer) {
      const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
      if (bearer !== undefined) {
        if (isSame(bearer, token)) return owner
        const kept = await byText(bearer)
        return kept && personOf(kept.token)
      }
      const said = proxy.personIn(headers, peer)
      if (said !== null) {
        const kept = await tokens.find({ name: said })
        return kept && personOf(kept.token)
      }
      const given = cookieValue(headers.cookie ?? '', name)
      return given === null ? null : byCookie(given)
    },
    async logIn(text) {
      if (isSame(text, token)) return { person: owner, cookie: cookieOf(ownersValue) }
      const kept = await byText(text)
      return kept && { person: personOf(kept.token), cookie: cookieOf(valueOf(kept)) }
    },
    logoutCookie: `${name}=; ${attributes}; Max-Age=0`,
  }
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

const isSame = (given: string, known: string): boolean => timingSafeEqual(digest(given), digest(known))

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
