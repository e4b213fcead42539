import { createHmac, hash, timingSafeEqual } from 'node:crypto'

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
