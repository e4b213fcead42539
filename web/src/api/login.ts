import { ApiError } from '../../../src/client/index.ts'
import { api, queries } from './client.ts'
import { personQuery } from './queries.ts'

/** The token of the printed address, which is taken out of the address at once: it must not stay in the history. */
export function takeToken(location: Location, history: History): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return null
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return token
}

/** Logs in with the token of the address, when it has one. A refused token shows as "not logged in" on the page. */
export async function logIn(): Promise<void> {
  const token = takeToken(location, history)
  if (token === null) return
  try {
    await api.login(token)
  } catch (error) {
    console.warn('the token was refused', error)
  }
}

/** Whether the server knows who this is; a server that is away says so on the page itself. */
export async function isLoggedIn(): Promise<boolean> {
  try {
    await queries.query(personQuery)
    return true
  } catch (error) {
    return !(error instanceof ApiError && error.status === 401)
  }
}
