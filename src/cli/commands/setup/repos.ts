import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { openHome } from '../../../app/home.ts'
import { addRepository, removeRepository } from '../../../app/mirrors/add-repository.ts'
import { withStore } from '../../../app/people/record-command.ts'
import { describeUntrusted } from '../../../app/trust/trust.ts'
import { oneLine } from '../../../client/printable.ts'
import type { Repository } from '../../../model/repository.ts'
import { looksLikeUrl } from '../../../model/repository-url.ts'
import type { RunCommand } from '../../command/context.ts'
import { findNamed } from '../../command/find-named.ts'

interface AddOptions {
  readonly place: string
  readonly trust?: boolean
}

/** Makes a repository known, and says what of it nobody has trusted yet. */
export const runAddRepository: RunCommand<AddOptions> = ({ cwd, env, output }, { place, trust }) =>
  withStore(env, async (store) => {
    const isFolder = existsSync(resolve(cwd, place)) || !looksLikeUrl(place)
    const wish = isFolder ? { path: resolve(cwd, place), trust } : { url: place, trust }
    const added = await addRepository(wish, { home: openHome(env), env, store })
    const { repository, isTrusted } = added
    output.print(`${repository.id}  ${oneLine(repository.path, 400)}`)
    if (!isTrusted) {
      output.say('Its files would run or load the following, which nobody has trusted yet:')
      for (const line of describeUntrusted(added.trust)) output.say(`  ${oneLine(line, 400)}`)
      output.say('Read it, then add it again with --trust.')
    }
    output.result({ schema: 'fixpoint.repository.v1', repository: shown(repository), trusted: isTrusted })
    return 0
  })

export const runListRepositories: RunCommand<object> = ({ env, output }) =>
  withStore(env, async ({ repositories }) => {
    const known = await repositories.list()
    const lines = known.map(({ id, path }) => `${id}  ${oneLine(path, 400)}`)
    output.print(lines.length === 0 ? 'There are no repositories.' : lines.join('\n'))
    output.result({ schema: 'fixpoint.repositories.v1', repositories: known.map(shown) })
    return 0
  })

export const runRemoveRepository: RunCommand<{ readonly name: string }> = ({ cwd, env, output }, { name }) =>
  withStore(env, async (store) => {
    const repository = findNamed(await store.repositories.list(), name, { cwd })
    await removeRepository(repository, { home: openHome(env), env, store })
    output.print(`${oneLine(repository.path, 400)} is not on the list any more.`)
    output.result({ schema: 'fixpoint.repository-removed.v1', repository_id: repository.id })
    return 0
  })

const shown = ({ key: _key, ...repository }: Repository) => repository
