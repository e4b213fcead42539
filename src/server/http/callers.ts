import type { IncomingMessage } from 'node:http'
import { Fault } from '../../model/fault.ts'
import type { Auth } from './auth.ts'
import { nobody, type Caller } from './door.ts'
import { createRateLimiter, type RateLimit } from './rate-limit.ts'
import type { TrustedProxy } from './trusted-proxy.ts'

/** Everybody who asks, each no more often than is fair. */
export interface Callers {
  /** Null when nothing proves who it is. */
  identify(incoming: IncomingMessage): Promise<Caller | null>
  /** Somebody who need not prove anything. */
  anybody(incoming: IncomingMessage): Caller
  /** The `Set-Cookie` of a log-in; refused when the token lets nobody in. */
  logIn(incoming: IncomingMessage, token: string): Promise<string>
  readonly logoutCookie: string
}

export interface CallerParts {
  readonly auth: Auth
  readonly proxy: TrustedProxy
  readonly now: () => number
  /** For each token. */
  readonly requests: RateLimit
  /** For each address that sends wrong ones. */
  readonly refused: RateLimit
}

export function createCallers({ auth, proxy, now, ...limits }: CallerParts): Callers {
  const requests = createRateLimiter(limits.requests, now)
  const refused = createRateLimiter(limits.refused, now)
  const peerOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''
  const addressOf = (incoming: IncomingMessage): string =>
    proxy.addressOf(incoming.headers, peerOf(incoming)).replace(/^::ffff:(?=\d)/, '')
  return {
    async identify(incoming) {
      const { headers } = incoming
      const address = addressOf(incoming)
      const person = await auth.identify(headers, peerOf(incoming))
      // Tokens are too long to be guessed, so a right one is let in however many wrong ones came from there.
      if (!person) {
        refused.count(address)
        return null
      }
      if (person.tokenId !== null) requests.count(person.tokenId)
      return { ...person, address }
    },
    anybody: (incoming) => nobody(addressOf(incoming)),
    async logIn(incoming, token) {
      const entered = await auth.logIn(token)
      if (entered) return entered.cookie
      refused.count(addressOf(incoming))
      throw new Fault('unauthorized', 'the token is wrong')
    },
    logoutCookie: auth.logoutCookie,
  }
}
