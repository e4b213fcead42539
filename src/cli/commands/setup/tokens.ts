import { createAccessToken, revokeAccessToken } from '../../../app/people/access-tokens.ts'
import { commandPerson, withStore } from '../../../app/people/record-command.ts'
import { oneLine } from '../../../client/printable.ts'
import { isLive, type AccessToken } from '../../../model/people/access-token.ts'
import { findNamed } from '../../command/find-named.ts'
import { PersonRole } from '../../../model/people/person.ts'
import type { RunCommand } from '../../command/context.ts'

interface CreateOptions {
  readonly name: string
  readonly role: string
  readonly repository?: readonly string[]
  readonly expires?: string
}

/** Lets a person in; the token is printed this once. */
export const runCreateToken: RunCommand<CreateOptions> = (context, options) =>
  withStore(context.env, async ({ repositories, accessTokens }) => {
    const { name, repository: given, expires = null } = options
    const known = given ? await repositories.list() : []
    const repositoryIds =
      given?.map((one) => findNamed(known, one, { cwd: context.cwd, flag: '--repository ' }).id) ?? null
    const role = PersonRole.parse(options.role)
    const request = { name, role, repositoryIds, expires, by: commandPerson() }
    const { text, token } = await createAccessToken(accessTokens, request)
    context.output.say(`${describe(token)}. The token is shown this once:`)
    context.output.reveal(text, { schema: 'fixpoint.token.v1', token: text, details: token })
    return 0
  })

export const runListTokens: RunCommand<object> = ({ env, output }) =>
  withStore(env, async ({ accessTokens }) => {
    const tokens = await accessTokens.list()
    output.print(tokens.length === 0 ? 'There are no tokens.' : tokens.map(lineOf).join('\n'))
    output.result({ schema: 'fixpoint.tokens.v1', tokens })
    return 0
  })

export const runRevokeToken: RunCommand<{ readonly token: string }> = ({ env, output }, { token }) =>
  withStore(env, async ({ accessTokens }) => {
    const revoked = await revokeAccessToken(accessTokens, token)
    output.print(`The token of ${oneLine(revoked.name, 100)} lets nobody in any more.`)
    output.result({ schema: 'fixpoint.token-revoked.v1', token: revoked.id })
    return 0
  })

const describe = ({ name, role, repository_ids: ids, expires_at: end }: AccessToken): string =>
  `${oneLine(name, 100)}: ${role} of ${ids?.join(', ') ?? 'all repositories'}${end === null ? '' : ` until ${end}`}`

function lineOf(token: AccessToken): string {
  const state = token.revoked_at === null ? 'expired' : 'revoked'
  return `${token.id}  ${isLive(token, Date.now()) ? 'valid  ' : state}  ${describe(token)}`
}
