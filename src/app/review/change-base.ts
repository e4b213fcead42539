import { Fault } from '../../model/fault.ts'
import { type SharedIgnore, ignoredPath } from '../../model/issue/move-by-hand.ts'
import type { App } from '../open-app.ts'
import { resolveBase } from '../resolve-base.ts'
import { parseIgnoredFile } from '../ignores/ignored-file.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** A build service, and the branch or commit that a pull request it builds is for; undefined for any other build. */
interface Service {
  readonly name: string
  readonly target: (env: Variables) => string | undefined
}

const isSet = (value: string | undefined): value is string =>
  value !== undefined && value !== '' && value !== 'false'

const services: readonly Service[] = [
  {
    name: 'GitHub Actions',
    target: (env) =>
      env['GITHUB_EVENT_NAME']?.startsWith('pull_request') ? env['GITHUB_BASE_REF'] : undefined,
  },
  {
    name: 'GitLab CI',
    target: (env) => env['CI_MERGE_REQUEST_DIFF_BASE_SHA'] ?? env['CI_MERGE_REQUEST_TARGET_BRANCH_NAME'],
  },
  { name: 'Bitbucket Pipelines', target: (env) => env['BITBUCKET_PR_DESTINATION_BRANCH'] },
  {
    name: 'Azure Pipelines',
    target: (env) => env['SYSTEM_PULLREQUEST_TARGETBRANCH']?.replace(/^refs\/heads\//, ''),
  },
  { name: 'Jenkins', target: (env) => (isSet(env['CHANGE_ID']) ? env['CHANGE_TARGET'] : undefined) },
  { name: 'Buildkite', target: (env) => env['BUILDKITE_PULL_REQUEST_BASE_BRANCH'] },
  {
    name: 'Travis CI',
    target: (env) => (isSet(env['TRAVIS_PULL_REQUEST']) ? env['TRAVIS_BRANCH'] : undefined),
  },
  {
    name: 'AppVeyor',
    target: (env) => (isSet(env['APPVEYOR_PULL_REQUEST_NUMBER']) ? env['APPVEYOR_REPO_BRANCH'] : undefined),
  },
  {
    name: 'Drone',
    target: (env) => (env['DRONE_BUILD_EVENT'] === 'pull_request' ? env['DRONE_TARGET_BRANCH'] : undefined),
  },
  {
    name: 'Woodpecker',
    target: (env) =>
      env['CI_PIPELINE_EVENT'] === 'pull_request' ? env['CI_COMMIT_TARGET_BRANCH'] : undefined,
  },
]

export interface ChangeBase {
  /** The revision that the change is held against. */
  readonly base: string
  readonly service: string
}

/** The branch or commit that the pull request of this build is for; null where this is no such build, or it builds everything. */
export async function findChangeBase(app: App, env: Variables): Promise<ChangeBase | null> {
  for (const { name, target } of services) {
    const wanted = target(env)
    if (!isSet(wanted)) continue
    for (const base of [`origin/${wanted}`, wanted])
      if (await isThere(app, base)) return { base, service: name }
    throw new Fault('usage', `${name} builds a pull request onto ${wanted}, which is not in this clone`, {
      hint: `Fetch it first (actions/checkout: fetch-depth: 0; else git fetch origin ${wanted}), name another with --base, or review everything with: fixpoint review .`,
    })
  }
  return null
}

/**
 * The issues that the project ignores. For a pull request that is being built, its target branch decides: otherwise its
 * author could ignore anything. Where that branch is not in the clone, nothing is ignored.
 */
export async function projectIgnores(app: App): Promise<readonly SharedIgnore[]> {
  try {
    const change = await findChangeBase(app, app.env)
    return await readSharedIgnores(app, change?.base)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'usage') throw error
    app.say(`note: nothing is ignored: ${error.message}`)
    return []
  }
}

const isThere = (app: App, revision: string): Promise<boolean> =>
  resolveBase(app, revision).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Fault) return false
      throw error
    },
  )

const mostBytes = 4 * 1024 * 1024

/** The issues that a revision, or the checked-out commit, ignores: an uncommitted edit is no decision of the project. */
async function readSharedIgnores(app: App, revision?: string): Promise<readonly SharedIgnore[]> {
  const { trees, clock } = await app.ports()
  const { tree } = await resolveBase(app, revision)
  const bytes = (await trees.readMany(tree, [ignoredPath])).get(ignoredPath)
  if (bytes === undefined) return []
  if (bytes.length > mostBytes) throw new Fault('config_invalid', `${ignoredPath} has ${bytes.length} bytes`)
  const today = new Date(clock.now()).toISOString().slice(0, 10)
  const entries = parseIgnoredFile(new TextDecoder().decode(bytes))
  return entries.filter(({ until }) => until === null || until > today)
}
