import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { configOf, sources } from '../fixtures/command-line.ts'
import { startHookServer, until, type HookServer } from '../fixtures/forge/hook-server.ts'
import { makePublishedProject, pushMain, type PublishedProject } from '../fixtures/forge/published-project.ts'
import { describeInJail } from '../fixtures/jail.ts'

/** A test of the fork that prints all secrets it can see. */
const spy = `import fs from 'node:fs'
const names = Object.keys(process.env).filter((name) => /TOKEN|SECRET|KEY/.test(name))
const files = ['FORGE_KEY_FILE'].filter((file) => fs.existsSync(file))
console.log('the fork sees ' + JSON.stringify([...names, ...files]) + '.')
`

describeInJail('a pull request from another repository', () => {
  let project: PublishedProject
  let server: HookServer
  let number: number
  const may = { edit: false, push: false }
  beforeAll(async () => {
    project = await makePublishedProject({ files: sources })
    project.write({
      'fixpoint.yaml': configOf(
        'agents: { fixer: rules, challenger: rules, planner: rules, clarifier: rules, reproducer: rules }\nchallenge: { enabled: false }\nevidence: { reproduce: false }\n',
      ),
    })
    project.commitAll('configure')
    await pushMain(project, project.forge)
    project.git('checkout', '--quiet', '-b', 'work')
    project.write({
      'src/number.js': `${sources['src/number.js'] as string}export const one = 1\n`,
      'test/spy.test.js': spy.replace('FORGE_KEY_FILE', join(project.folder, 'app.pem')),
    })
    project.commitAll('one')
    await project.fixpoint('review', '--yes', '--json')
    project.git('checkout', '--quiet', 'main')
    const { forge } = project
    forge.bare.git('fetch', '--quiet', project.root, '+refs/heads/work:refs/heads/work')
    await forge.follow()
    const opening = { title: 'One', head: 'work', base: 'main' }
    number = (await forge.ask<{ number: number }>('POST', '/repos/ada/sample/pulls', opening)).data.number
    const tip = forge.bare.tip('refs/heads/work')
    forge.bare.git('update-ref', '-d', 'refs/heads/work')
    forge.intercept = ({ method, path }) => {
      if (method === 'GET' && path === `/repos/ada/sample/pulls/${number}`)
        return {
          status: 200,
          body: {
            number,
            html_url: 'x',
            title: 'One',
            body: '',
            state: 'open',
            merged_at: null,
            draft: false,
            labels: [],
            user: { login: 'eve' },
            maintainer_can_modify: may.edit,
            head: { ref: 'work', sha: tip, repo: { full_name: 'eve/sample' } },
            base: { ref: 'main', sha: forge.bare.tip('refs/heads/main') },
          },
        }
      if (path === '/repos/eve/sample/installation')
        return may.push ? { status: 200, body: { id: 100 } } : { status: 404, body: {} }
      if (path === '/repos/eve/sample')
        return {
          status: 200,
          body: {
            full_name: 'eve/sample',
            html_url: 'y',
            default_branch: 'main',
            archived: false,
            permissions: { push: true },
          },
        }
      if (path.startsWith('/repos/eve/sample/pulls') && method === 'GET') return { status: 200, body: [] }
      if (/^\/repos\/eve\/sample\/pulls(\/5)?$/.test(path))
        return {
          status: 201,
          body: {
            number: 5,
            html_url: 'https://forge/eve/sample/pull/5',
            title: 't',
            body: '',
            state: 'open',
            merged_at: null,
            labels: [],
            head: { ref: 'x', sha: 'x', repo: null },
            base: { ref: 'work', sha: 'x' },
          },
        }
      return path.startsWith('/repos/eve/sample') ? { status: 200, body: [] } : 'pass'
    }
    server = await startHookServer(project, { FIXPOINT_SANDBOX: 'required' })
  })
  afterAll(async () => {
    await server.end()
    await project.closeAll()
  })

  interface Comment {
    readonly id: number
    readonly body: string
  }
  async function command(body: string, expected: RegExp): Promise<string> {
    const path = `/repos/ada/sample/issues/${number}/comments`
    const { data: comment } = await project.forge.ask<Comment>('POST', path, { body })
    const answers = async () => (await project.forge.ask<Comment[]>('GET', `${path}?per_page=100`)).data
    await server.deliver({
      event: 'issue_comment',
      payload: {
        action: 'created',
        repository: { full_name: 'ada/sample' },
        sender: { login: 'ada', type: 'User' },
        issue: { number, pull_request: {} },
        comment,
      },
    })
    return until(
      `an answer to ${body} like ${expected}`,
      async () => (await answers()).find((one) => one.id > comment.id && expected.test(one.body))?.body,
    )
  }
  const pushes = () =>
    project.forge.requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('git-receive-pack'))
      .map(({ path }) => path)

  it('gets what landed as a patch, and none of its code is pushed here', async () => {
    const said = await command('/fixpoint fix all', /\*\*Done\*\*: 1 of 1 fixed/)
    expect(said).toContain('+  return Number.isNaN(value)')
    expect(pushes()).toEqual([])
    const seen = readdirSync(project.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(
        (entry) =>
          readFileSync(join(entry.parentPath, entry.name), 'utf8').match(/the fork sees \S+\./g) ?? [],
      )
    expect(new Set(seen)).toEqual(new Set(['the fork sees [].']))
    const id = /ses_\w+/.exec(said)?.[0] ?? ''
    for (const args of [
      ['pr', 'create', id],
      ['export', 'bundle', id, '--output', '/dev/null'],
    ]) {
      const refused = await project.fixpoint(...args, '--json')
      expect(refused.json()).toMatchObject({
        code: 'forge_refused',
        message: expect.stringMatching(/eve\/sample, which is not pushed here/) as string,
      })
    }
    expect(pushes()).toEqual([])
  })

  it('gets a pull request to its own branch where its author lets maintainers edit it and they may push there', async () => {
    Object.assign(may, { edit: true, push: true })
    const [issue] = (
      await project.app.store.issues.list({
        repositoryId: project.app.repository.id,
        limit: 50,
        status: ['resolved'],
      })
    ).issues
    expect((await project.fixpoint('issues', 'reopen', issue?.code ?? '', '--json')).exitCode).toBe(0)
    await command('/fixpoint fix all', /What landed is in https:\/\/forge\/eve\/sample\/pull\/5/)
    expect([...new Set(pushes())]).toEqual(['/eve/sample.git/git-receive-pack'])
    expect(project.forge.fork.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toMatch(
      /^refs\/heads\/fix\//,
    )
    const opened = project.forge.requests.find(
      ({ method, path }) => method === 'POST' && path === '/repos/eve/sample/pulls',
    )
    expect(JSON.parse(opened?.body ?? '{}')).toMatchObject({ base: 'work' })
  })
})
