import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hookSecret,
  sign,
  startHookServer,
  until,
  type HookServer,
  type SentHook,
} from '../fixtures/forge/hook-server.ts'
import { forgeToken } from '../fixtures/forge/forge.ts'
import {
  makePublishedProject,
  threeFindings,
  threeMistakes,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'

const voter = "console.log(JSON.stringify({ score: 90, summary: 'fine', findings: [] })); return null"

let project: PublishedProject
let server: HookServer
/** A pull request of a person, in this repository. */
let pull: number
beforeAll(async () => {
  project = await makePublishedProject({ ...threeMistakes, reviewers: [voter, voter] })
  await project.import(threeFindings)
  project.git('checkout', '--quiet', '-b', 'work')
  project.write({ 'src/add.js': 'export const add = (a, b) => a - b\nexport const one = 1\n' })
  project.commitAll('one')
  project.git('checkout', '--quiet', 'main')
  project.forge.bare.git('fetch', '--quiet', project.root, '+refs/heads/work:refs/heads/work')
  await project.forge.follow()
  const opened = await project.forge.ask<{ number: number }>('POST', '/repos/ada/sample/pulls', {
    title: 'One',
    head: 'work',
    base: 'main',
  })
  pull = opened.data.number
  server = await startHookServer(project)
})
afterAll(async () => {
  await server.end()
  await project.closeAll()
})

interface Comment {
  readonly id: number
  readonly body: string
  readonly user: { readonly login: string }
}
const commentsOf = async (number: number) =>
  (await project.forge.ask<Comment[]>('GET', `/repos/ada/sample/issues/${number}/comments?per_page=100`)).data
const say = async (body: string, token?: string) =>
  (await project.forge.ask<Comment>('POST', `/repos/ada/sample/issues/${pull}/comments`, { body }, token))
    .data
const answers = async () => (await commentsOf(pull)).filter(({ body }) => body.includes('fixpoint:answer'))
/** The delivery that GitHub sends for a comment. */
const commented = (comment: object, more: object = {}): SentHook => ({
  event: 'issue_comment',
  payload: {
    action: 'created',
    repository: { full_name: 'ada/sample' },
    sender: { login: 'ada', type: 'User' },
    issue: { number: pull, pull_request: {} },
    comment: { id: 1, body: '/fixpoint fix all', ...comment },
    ...more,
  },
})

/** Writes a command, and waits for a matching answer. */
async function command(body: string, expected: RegExp): Promise<string> {
  const before = new Set((await answers()).map(({ id }) => id))
  await server.deliver(commented(await say(body)))
  return until(
    `an answer to ${body} like ${expected}`,
    async () => (await answers()).find((one) => !before.has(one.id) && expected.test(one.body))?.body,
  )
}
const standing = async () =>
  (await project.app.store.issues.list({ repositoryId: project.app.repository.id, limit: 50 })).issues
    .map(({ code, title, status }) => ({ code, title, status }))
    .toSorted((a, b) => a.title.localeCompare(b.title))
const codeOf = async (title: string) => (await standing()).find((one) => one.title === title)?.code ?? ''

describe('what is hostile has no effect', () => {
  const bodyOf = (told: SentHook): string => JSON.stringify(told.payload)
  const signed = (signature: string | undefined, told = commented({})): SentHook => ({
    ...told,
    headers: { 'x-hub-signature-256': signature },
  })
  type Case = readonly [string, number, () => SentHook | Promise<SentHook>]

  const refused: readonly Case[] = [
    ['no signature', 401, () => signed(undefined)],
    ['an empty signature', 401, () => signed('')],
    ['the signature of another secret', 401, () => signed(sign(bodyOf(commented({})), 'another-secret'))],
    ['the signature of another body', 401, () => signed(sign('{}'))],
    ['a signature without its kind', 401, () => signed(sign(bodyOf(commented({}))).slice(7))],
    ['a signature of the old kind', 401, () => signed(`sha1=${'0'.repeat(40)}`)],
    ['a signature that is cut', 401, () => signed(sign(bodyOf(commented({}))).slice(0, -1))],
    ['a signature in capitals', 401, () => signed(sign(bodyOf(commented({}))).toUpperCase())],
    ['no delivery id', 401, () => ({ ...commented({}), headers: { 'x-github-delivery': undefined } })],
    ['a path as delivery id', 401, () => ({ ...commented({}), headers: { 'x-github-delivery': '../../x' } })],
    ['no event', 401, () => ({ ...commented({}), headers: { 'x-github-event': undefined } })],
    ['a huge body', 413, () => ({ event: 'push', payload: null, body: 'x'.repeat(3_000_000) })],
    [
      'a form',
      415,
      () => ({ ...commented({}), headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    ],
    ['another site', 403, () => ({ ...commented({}), headers: { origin: 'https://evil.example' } })],
    ['a compressed body', 415, () => ({ ...commented({}), headers: { 'content-encoding': 'gzip' } })],
  ]
  const ignored: readonly Case[] = [
    ['no JSON', 202, () => ({ event: 'issue_comment', payload: null, body: '{' })],
    ['an array', 202, () => ({ event: 'issue_comment', payload: [] })],
    ['an unknown event', 202, () => ({ ...commented({}), event: 'workflow_job' })],
    ['an edited comment', 202, () => commented({}, { action: 'edited' })],
    ['a bot', 202, () => commented({}, { sender: { login: 'x[bot]', type: 'Bot' } })],
    ['a comment on an issue', 202, () => commented({}, { issue: { number: pull } })],
    ['a quoted command', 202, () => commented({ body: '> /fixpoint fix all' })],
    ['a command further below', 202, () => commented({ body: 'Look:\n/fixpoint fix all' })],
    ['a command in code', 202, () => commented({ body: '```\n/fixpoint fix all\n```' })],
    ['a repository that is a path', 202, () => commented({}, { repository: { full_name: '../../etc' } })],
    ['a number that is none', 202, () => commented({}, { issue: { number: '1; rm', pull_request: {} } })],
    [
      'a prototype',
      202,
      () => ({ event: 'issue_comment', payload: null, body: '{"__proto__":{"action":"created"}}' }),
    ],
  ]
  const queued: readonly Case[] = [
    ['another repository', 202, () => commented({}, { repository: { full_name: 'eve/other' } })],
    ['a comment that nobody wrote', 202, () => commented({ id: 987_654 })],
    [
      'a pull request that is not there',
      202,
      () => ({
        event: 'pull_request',
        payload: { action: 'closed', repository: { full_name: 'ada/sample' }, pull_request: { number: 99 } },
      }),
    ],
    [
      'a pull request that is said to be merged and is not',
      202,
      () => ({
        event: 'pull_request',
        payload: {
          action: 'closed',
          repository: { full_name: 'ada/sample' },
          pull_request: { number: pull, merged: true },
        },
      }),
    ],
    [
      'a command of somebody who may only read',
      202,
      async () => commented({ id: (await say('/fixpoint fix all', 'token-of-eve')).id }),
    ],
    [
      'a command that the payload says and the comment does not',
      202,
      async () => commented({ id: (await say('Nice work!', 'token-of-eve')).id, body: '/fixpoint fix all' }),
    ],
    [
      'a sender who is not the author',
      202,
      async () =>
        commented(
          { id: (await say('/fixpoint ignore BE-1 x', 'token-of-eve')).id },
          { sender: { login: 'ada', type: 'User' } },
        ),
    ],
  ]

  it.each([...refused, ...ignored, ...queued])('%s', async (_what, status, make) => {
    const told = await make()
    expect((await server.deliver(told)).status).toBe(status)
  })

  it('and after all of these, thirty at least, nothing was answered, started, moved or pushed', async () => {
    expect(refused.length + ignored.length + queued.length).toBeGreaterThanOrEqual(30)
    await until(
      'everything is worked off',
      async () => (await project.app.store.deliveries.open()).length === 0,
    )
    expect(await answers()).toEqual([])
    expect((await standing()).map(({ status }) => status)).toEqual(['open', 'open', 'open'])
    expect(await project.app.store.sessions.list(project.app.repository.id, 10)).toEqual([])
    expect(project.forge.bare.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe(
      'refs/heads/main\nrefs/heads/work',
    )
  })

  it('the same delivery counts once, also under another id', async () => {
    const told = commented({ id: 4_242 })
    const first = await server.deliver({ ...told, headers: { 'x-github-delivery': 'd-1' } })
    expect(first.json()).toEqual({ outcome: 'queued' })
    for (const id of ['d-1', 'd-2']) {
      const again = await server.deliver({ ...told, headers: { 'x-github-delivery': id } })
      expect(again.json()).toEqual({ outcome: 'known' })
    }
  })
})

describe('commands of people with write permission', () => {
  it('are answered once each, by one comment', async () => {
    expect(await command('/fixpoint', /can say/)).toContain('/fixpoint approve CODE')
    expect(await command('/fixpoint dance', /no such command/)).toContain('/fixpoint help')
    expect(await command('/fixpoint ignore', /takes CODE REASON/)).not.toContain('is ignored')
    for (const injected of [
      '/fixpoint fix BE-001;id',
      '/fixpoint fix $(id)',
      `/fixpoint fix ${'x'.repeat(30_000)}`,
    ])
      expect(await command(injected, /fix takes/)).not.toContain('Session')
    const half = await codeOf('half takes a third')
    expect(await command(`/fixpoint explain ${half}`, /half\(6\) is 2/)).toContain('is open')
    const calling = `/fixpoint ignore ${half} known to be odd, says @bob <img src=x> closes #1`
    expect(await command(calling, /is ignored/)).not.toMatch(/@bob|[^\\]<img|#1\b/)
    expect(await standing()).toContainEqual({ code: half, title: 'half takes a third', status: 'ignored' })
    expect(await command(`/fixpoint approve ${half}`, /does not wait/)).toContain(half)
    expect(await command('/fixpoint stop', /Nothing runs here/)).not.toContain('Stopped')
    expect(await command('/fixpoint retry', /nothing to retry/)).toContain('No session')
  })

  it('review posts the votes and says them', async () => {
    expect(await command('/fixpoint review', /approved/)).toMatch(/average of 2 votes is 90/)
    const path = `/repos/ada/sample/commits/${project.forge.bare.tip('refs/heads/work')}/check-runs`
    const readRuns = async () =>
      (await project.forge.ask<{ check_runs: { name: string; conclusion: string }[] }>('GET', path)).data
        .check_runs
    // It is written after the comment.
    await expect
      .poll(readRuns, { timeout: 200_000 })
      .toMatchObject([{ name: 'Fixpoint', conclusion: 'success' }])
  })

  it('fix repairs what stands in the changed files, and proposes it for the branch of the pull request', async () => {
    const said = await command('/fixpoint fix all', /\*\*Done\*\*: 1 of 1 fixed/)
    const number = Number(/\/pull\/(\d+)/.exec(said)?.[1])
    const { data } = await project.forge.ask('GET', `/repos/ada/sample/pulls/${number}`)
    expect(data).toMatchObject({ base: { ref: 'work' }, state: 'open' })
    expect((await answers()).filter(({ body }) => body.includes('Session `ses_'))).toHaveLength(1)
  })

  it('what is there is listed, published again and voted on over HTTP too', async () => {
    const { id: repository_id } = project.app.repository
    const listed = await server.ask(`/api/prs?repository_id=${repository_id}`)
    const all = listed.json<{ pull_requests: { number: number; session_id: string | null }[] }>()
    const ours = all.pull_requests.find(({ session_id }) => session_id !== null)
    expect(all.pull_requests.map(({ number }) => number)).toContain(pull)
    const again = await server.ask(`/api/sessions/${ours?.session_id}/pull-request`, {
      method: 'POST',
      body: JSON.stringify({ base: 'work' }),
    })
    expect(again.json()).toMatchObject({ number: ours?.number, created: false, pushed: false })
    const body = JSON.stringify({ repository_id, pull_request: pull })
    const voted = await server.ask('/api/prs/review', { method: 'POST', body })
    expect(voted.json()).toMatchObject({ status: 'approved', average: 90, review_id: null })
    expect((await server.ask('/api/prs', { headers: { authorization: undefined } })).status).toBe(401)
  })

  it('of somebody else’s repository run nothing', async () => {
    project.forge.intercept = ({ method, path }) =>
      method === 'GET' && path === `/repos/ada/sample/pulls/${pull}`
        ? {
            status: 200,
            body: {
              number: pull,
              html_url: 'x',
              title: 'x',
              body: '',
              state: 'open',
              merged_at: null,
              draft: false,
              labels: [],
              user: { login: 'eve' },
              head: {
                ref: 'work',
                sha: project.forge.bare.tip('refs/heads/work'),
                repo: { full_name: 'eve/sample' },
              },
              base: { ref: 'main', sha: project.forge.bare.tip('refs/heads/main') },
            },
          }
        : 'pass'
    const before = (await project.app.store.sessions.list(project.app.repository.id, 10)).length
    expect(await command('/fixpoint fix all', /comes from another repository/)).toContain('not run here')
    expect(await project.app.store.sessions.list(project.app.repository.id, 10)).toHaveLength(before)
    project.forge.intercept = () => 'pass'
  })

  it('that change something are in the record of changes, with who asked; what others asked for is not', async () => {
    const { entries } = (await server.ask('/api/audit?limit=100')).json<{
      entries: { person: string; action: string; address: string; outcome: number | null }[]
    }>()
    const said = entries.filter(({ action }) => action.startsWith('/fixpoint'))
    expect(new Set(said.map(({ person }) => person))).toEqual(new Set(['ada']))
    expect(said.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['/fixpoint ignore', '/fixpoint review', '/fixpoint fix']),
    )
    expect(said.map(({ action }) => action)).not.toContain('/fixpoint explain')
    expect(said[0]).toMatchObject({
      action: '/fixpoint fix',
      outcome: 403,
      address: expect.stringContaining('#') as string,
    })
  })

  it('leave neither secrets nor keys in the log', () => {
    expect(server.log()).not.toMatch(new RegExp(`${hookSecret}|${forgeToken}|ghs_|PRIVATE KEY`))
  })
})
