import { ApiError } from '../../../src/client/index.ts'
import { api, queries } from './client.ts'
import { personQuery } from './queries.ts'

/** Takes the token out of the printed address at once, because it must not stay in the history. */
export function takeToken(location: Location, history: History): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return null
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return token
}

/** Logs in with the token of the address, if it has one. The page shows a refused token as "not logged in". */
export async function logIn(): Promise<void> {
  const token = takeToken(location, history)
  if (token === null) return
  try {
    await api.login(token)
  } catch (error) {
    console.warn('the token was refused', error)
  }
}

/** Whether the server knows this person; the page itself shows when the server is away. */
export async function isLoggedIn(): Promise<boolean> {
  try {
    await queries.query(personQuery)
    return true
  } catch (error) {
    return !(error instanceof ApiError && error.status === 401)
  }
}
