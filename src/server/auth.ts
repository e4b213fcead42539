import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

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
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))
  const derive = (purpose: string): string => createHmac('sha256', token).update(purpose).digest('hex')
  // Cookies are shared by all ports of a host: two servers must not take each other's.
  const name = `fixpoint_${derive('fixpoint cookie name').slice(0, 12)}`
  const value = derive('fixpoint cookie value')
  const attributes = 'Path=/; HttpOnly; SameSite=Strict'
  return {
    isAuthorized: ({ authorization, cookie }) => {
      const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
      if (bearer !== undefined) return isSame(bearer, token)
      const given = cookieValue(cookie ?? '', name)
      return given !== null && isSame(given, value)
    },
    isToken: (text) => isSame(text, token),
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
