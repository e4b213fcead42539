import type { ServerResponse } from 'node:http'
import { clock, ids } from '../../app/machine.ts'
import type { Store } from '../../adapters/store/index.ts'
import { Fault } from '../../model/fault.ts'
import { IssueId, RepositoryId, ReviewId, SessionId } from '../../model/id.ts'
import { isAtLeast, maySee, type Person, type PersonRole } from '../../model/people/person.ts'
import type { EndpointAccess } from './endpoint-access.ts'

/** A person, and the address that the request comes from. */
export interface Caller extends Person {
  readonly address: string
}

/** A caller that proves nothing: no role, and no repository to see. */
export const nobody = (address: string): Caller => ({
  name: 'nobody',
  role: null,
  repositories: [],
  tokenId: null,
  address,
})

/** A request as the door sees it: read, and not yet begun. */
export interface Knock {
  readonly method: string
  readonly path: string
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** The checks that every endpoint passes: who may ask, about what, and the record of it. */
export interface Door {
  /** Refuses callers whose role is too small; a change that was refused is written down too. */
  requireRole(caller: Caller, access: Exclude<EndpointAccess, 'anyone'>, knock: Knock): Promise<void>
  /** Refuses a repository that the caller may not see, as if it did not exist. */
  requireSight(caller: Caller, access: Exclude<EndpointAccess, 'anyone'>, knock: Knock): Promise<void>
  /** Writes a change down before it is made; returns a function that writes down how it ended. */
  record(caller: Caller, knock: Knock): Promise<(status: number) => Promise<void>>
  /** Ends an answer that goes on for long when the token of its reader is taken back. */
  watch(caller: Caller, response: ServerResponse): void
}

export interface DoorParts {
  readonly store: Pick<Store, 'sessions' | 'issues' | 'reviews' | 'audit' | 'accessTokens'>
  readonly onError: (error: unknown, what: string) => void
}

const watchEveryMs = 15_000

export function createDoor({ store, onError }: DoorParts): Door {
  const repositoriesOf = createRepositoriesOf(store)
  const record: Door['record'] = async (caller, knock) => {
    const id = ids.next('aud')
    const named = [...(await repositoriesOf(idsIn(knock))).values()]
    await store.audit.begin({
      id,
      at: new Date(clock.now()).toISOString(),
      person: caller.name,
      role: caller.role,
      token_id: caller.tokenId,
      address: caller.address,
      action: `${knock.method} ${knock.path}`,
      repository_ids: [...new Set(named.filter((one) => one !== null))],
      request: requestText(knock),
      outcome: null,
    })
    // The change is made, so a failure to write down its end must not look like a failure of the change.
    return (status) =>
      store.audit.end(id, status).catch((error: unknown) => onError(error, 'writing down how a change ended'))
  }
  return {
    record,
    async requireRole(caller, { role }, knock) {
      if (caller.role === null) throw new Fault('unauthorized', 'the token is missing or wrong')
      if (isAtLeast(caller, role)) return
      if (isChange(knock)) await (await record(caller, knock))(403)
      throw tooSmall(caller, role)
    },
    async requireSight(caller, { reach }, knock) {
      if (caller.repositories === null || reach === 'filtered') return
      const named = idsIn(knock)
      if (reach === 'home' || named.size === 0)
        throw new Fault('forbidden', `${caller.name} may see some repositories only`, {
          hint: 'Name one of them with repository_id, or ask an admin.',
        })
      for (const [id, repository] of await repositoriesOf(named)) {
        if (repository === null || !maySee(caller, repository))
          throw new Fault('not_found', `there is nothing with the id "${id}"`)
      }
    },
    watch: createWatch(store, onError),
  }
}

const createWatch =
  ({ accessTokens }: DoorParts['store'], onError: DoorParts['onError']): Door['watch'] =>
  ({ tokenId }, response) => {
    if (tokenId === null) return
    const timer = setInterval(() => {
      accessTokens.find({ id: tokenId }).then(
        (kept) => kept === null && response.destroy(),
        (error: unknown) => onError(error, 'looking whether a token still holds'),
      )
    }, watchEveryMs).unref()
    response.once('close', () => clearInterval(timer))
  }

/** Every other method changes something, or costs something. */
export const isChange = ({ method }: Pick<Knock, 'method'>): boolean => method !== 'GET' && method !== 'HEAD'

const tooSmall = ({ name, role }: Caller, needed: PersonRole): Fault =>
  new Fault('forbidden', `${name} is ${withArticle(role)}, and this takes ${withArticle(needed)}`, {
    hint: `Log in with a token of another role: whoever runs the server makes one with fixpoint tokens create --role ${needed}.`,
  })

const withArticle = (role: Caller['role']): string => (role === 'viewer' ? 'a viewer' : `an ${role}`)

/** Every id that a request names, wherever in it. */
function idsIn({ params, query, body }: Knock): ReadonlySet<string> {
  const found = new Set<string>()
  const look = (value: unknown): void => {
    if (typeof value === 'string' && /^(?:rep|ses|iss|rev)_[0-9a-z]+$/.test(value)) found.add(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(look)
  }
  ;[params, query, body].forEach(look)
  return found
}

type RepositoriesOf = (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, RepositoryId | null>>

/** Whose each id is; null for one that nothing has. */
const createRepositoriesOf =
  ({ sessions, issues, reviews }: DoorParts['store']): RepositoriesOf =>
  async (named) => {
    const some = (prefix: string): readonly string[] => [...named].filter((id) => id.startsWith(prefix))
    const found = await issues.get(some('iss_').map((id) => IssueId.parse(id)))
    const owners = new Map<string, RepositoryId | null>([...named].map((id) => [id, null]))
    for (const { id, repository_id } of found) owners.set(id, repository_id)
    for (const id of some('rep_')) owners.set(id, RepositoryId.parse(id))
    for (const id of some('ses_'))
      owners.set(id, (await sessions.load(SessionId.parse(id)))?.session.repository_id ?? null)
    for (const id of some('rev_'))
      owners.set(id, (await reviews.get(ReviewId.parse(id)))?.repository_id ?? null)
    return owners
  }

/** The request beside the address; a long one is cut. */
function requestText({ params, query, body }: Knock): string | null {
  const given = { ...asObject(params), ...asObject(query), ...asObject(body) }
  if (Object.keys(given).length === 0) return null
  return JSON.stringify(given)
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})
