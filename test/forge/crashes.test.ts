import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPullRequest } from '../../src/app/forge/create-pull-request.ts'
import { forgeToken, startForge, type Interceptor } from '../fixtures/forge/forge.ts'
import {
  makePublishedProject,
  pushMain,
  threeFindings,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'

let project: PublishedProject
beforeAll(async () => {
  project = await makePublishedProject()
  await project.import(threeFindings)
  await project.fix()
})
afterAll(() => project.closeAll())

const pass: Interceptor = () => 'pass'

/** Answers nothing from the given request on, which leaves the same behind as a killed process. */
const dieAt = (index: number, phase: 'before' | 'after'): Interceptor => {
  let seen = -1
  let isDead = false
  return (_request, at) => {
    if (at === 'before') seen += 1
    isDead ||= seen > index || (seen === index && at === phase)
    return isDead ? { status: 403, body: { message: 'gone' } } : 'pass'
  }
}

describe('publishing that is interrupted anywhere', () => {
  it('is finished by the next try, with one pull request, one label and one part of its text', async () => {
    const first = await startForge()
    project.git('remote', 'set-url', 'origin', first.cloneUrl)
    const app = { ...project.app, env: { ...project.app.env, ...first.env } }
    await pushMain(project, first)
    const before = first.requests.length
    await createPullRequest(app, {})
    const made = first.requests.slice(before)
    await first.close()
    expect(made.length).toBeGreaterThan(6)
    for (const [index, { method, path }] of made.entries())
      // A GET request leaves the same behind, with or without its answer.
      for (const phase of method !== 'GET' && path.startsWith('/repos/')
        ? (['before', 'after'] as const)
        : (['before'] as const)) {
        const forge = await startForge()
        project.git('remote', 'set-url', 'origin', forge.cloneUrl)
        const at = { ...project.app, env: { ...project.app.env, ...forge.env } }
        await pushMain(project, forge)
        forge.intercept = dieAt(index, phase)
        const isDone = await createPullRequest(at, {}).then(
          () => true,
          () => false,
        )
        forge.intercept = pass
        const { number, pushed } = await createPullRequest(at, {})
        const { data } = await forge.ask<
          { number: number; body: string; labels: { name: string }[]; head: { sha: string } }[]
        >('GET', '/repos/ada/sample/pulls?state=all')
        const where = `request ${index} ${phase}`
        expect(data, where).toMatchObject([{ number, labels: [{ name: 'fixpoint' }] }])
        expect(data[0]?.body.split('fixpoint:begin').length, where).toBe(2)
        expect(
          forge.bare.tip(
            `refs/heads/${project.git('for-each-ref', '--format=%(refname:strip=2)', 'refs/heads/fix')}`,
          ),
          where,
        ).toBe(data[0]?.head.sha)
        if (isDone) expect(pushed, where).toBe(false)
        await forge.close()
      }
  }, 400_000)
})

describe('what GitHub refuses', () => {
  const failing: readonly (readonly [string, Interceptor, RegExp, string])[] = [
    [
      'a token that it does not know',
      () => ({ status: 401, body: { message: 'Bad credentials' } }),
      /does not accept the token/,
      'forge_auth',
    ],
    [
      'a token without the permission',
      ({ method, path }) =>
        method === 'POST' && path.startsWith('/repos/')
          ? {
              status: 403,
              headers: { 'x-accepted-github-permissions': 'pull_requests=write' },
              body: { message: 'Resource not accessible' },
            }
          : 'pass',
      /Resource not accessible/,
      'forge_refused',
    ],
    [
      'too many requests',
      () => ({
        status: 403,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4102444800' },
        body: { message: 'API rate limit exceeded' },
      }),
      /limits the rate of requests until 2100/,
      'forge_busy',
    ],
    [
      'a repository that is not there',
      () => ({ status: 404, body: { message: 'Not Found' } }),
      /does not know it/,
      'forge_missing',
    ],
    [
      'one that is gone',
      () => ({ status: 451, body: { message: 'Blocked' } }),
      /is gone from GitHub/,
      'forge_missing',
    ],
    [
      'one that was renamed',
      ({ path }) =>
        path.endsWith('/repos/ada/sample')
          ? { status: 301, headers: { location: '/repositories/1' } }
          : path === '/repositories/1'
            ? {
                status: 200,
                body: { full_name: 'ada/renamed', html_url: 'x', default_branch: 'main', archived: false },
              }
            : 'pass',
      /ada\/sample is called ada\/renamed now/,
      'forge_missing',
    ],
    [
      'a fork that the token may not push to',
      ({ path }) =>
        path.endsWith('/repos/ada/sample')
          ? {
              status: 200,
              body: {
                full_name: 'ada/sample',
                html_url: 'x',
                default_branch: 'main',
                archived: false,
                fork: true,
                permissions: { push: false },
              },
            }
          : 'pass',
      /may not push to ada\/sample/,
      'forge_refused',
    ],
    [
      'one that is archived',
      ({ path }) =>
        path.endsWith('/repos/ada/sample')
          ? {
              status: 200,
              body: { full_name: 'ada/sample', html_url: 'x', default_branch: 'main', archived: true },
            }
          : 'pass',
      /is archived/,
      'forge_refused',
    ],
  ]
  it.each(failing)('%s ends in a fault of its own kind', async (_what, intercept, message, code) => {
    const forge = await startForge()
    try {
      project.git('remote', 'set-url', 'origin', forge.cloneUrl)
      await pushMain(project, forge)
      forge.intercept = intercept
      const fault = await createPullRequest(
        { ...project.app, env: { ...project.app.env, ...forge.env } },
        {},
      ).catch((error: unknown) => error)
      expect(fault).toMatchObject({ code, message: expect.stringMatching(message) as string })
      expect(JSON.stringify(fault)).not.toContain(forgeToken)
    } finally {
      await forge.close()
    }
  })

  it('a push that a rule of the repository refuses says the rule, and a missing token says how to get one', async () => {
    const forge = await startForge()
    try {
      project.git('remote', 'set-url', 'origin', forge.cloneUrl)
      await pushMain(project, forge)
      forge.bare.refuse('GH006: Protected branch update failed')
      const at = { ...project.app, env: { ...project.app.env, ...forge.env } }
      await expect(createPullRequest(at, {})).rejects.toThrow(
        /pre-receive hook declined: .*GH006: Protected branch/,
      )
      await expect(
        createPullRequest({ ...at, env: { ...at.env, GH_TOKEN: '', PATH: '/usr/bin:/bin' } }, {}),
      ).rejects.toThrow(/there is no token for GitHub/)
    } finally {
      await forge.close()
    }
  })
})
