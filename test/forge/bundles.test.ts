import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFromBundle } from '../../src/app/forge/create-pull-request.ts'
import { exportBundle } from '../../src/app/forge/export-bundle.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { honestMessage, openForger, type Forgery } from '../fixtures/forge/forged-bundle.ts'
import {
  makePublishedProject,
  threeFindings,
  threeMistakes,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'

let project: PublishedProject
let privileged: App
let forger: Awaited<ReturnType<typeof openForger>>
beforeAll(async () => {
  const fixer = `if (issue.file === 'src/load.js') { edit('src/load.js', 'JSON.parse(text)', 'JSON.parse(text || null)'); edit('test/add.test.js', 'assert.equal(add(0, 0), 0)', '{}'); return {} }${threeMistakes.fixer}`
  project = await makePublishedProject({ ...threeMistakes, fixer })
  await project.import(threeFindings)
  await project.fix()
  const clone = join(project.folder, 'privileged')
  execFileSync('git', ['clone', '--quiet', project.forge.bare.folder, clone], { env: project.env })
  execFileSync('git', ['remote', 'set-url', 'origin', project.forge.cloneUrl], {
    cwd: clone,
    env: project.env,
  })
  const env = { ...project.env, ...project.forge.env, FIXPOINT_HOME: join(project.folder, 'privileged-home') }
  privileged = await openApp({ cwd: clone, env })
  mkdirSync(join(project.folder, 'forging'))
  forger = await openForger(project.folder, { bare: project.forge.bare.folder, env: project.env })
})
afterAll(async () => {
  await forger.close()
  await privileged.close()
  await project.closeAll()
})

const publish = (bytes: Uint8Array, options: Parameters<typeof createFromBundle>[2] = {}) => {
  const file = join(project.folder, 'given.bundle')
  writeFileSync(file, bytes)
  return createFromBundle(privileged, file, options)
}
const standing = () => project.forge.bare.git('for-each-ref', '--format=%(refname) %(objectname)')
const pulls = async () =>
  (await project.forge.ask<{ body: string }[]>('GET', '/repos/ada/sample/pulls?state=all')).data

const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
const add = 'export const add = (a, b) => a + b\n'
const one = (files: Record<string, string | { link: string }>, more = {}): Forgery => ({
  commits: [{ files, ...more }],
})
/** The first line of the header is the signature, the second what the bundle needs. */
const header = (edit: (lines: string[]) => string[]) => (bytes: Buffer) => {
  const end = bytes.indexOf('\n\n')
  return Buffer.concat([
    Buffer.from(edit(bytes.toString('utf8', 0, end).split('\n')).join('\n')),
    bytes.subarray(end),
  ])
}

const forgeries: Readonly<Record<string, readonly [Forgery, RegExp]>> = {
  'changes a workflow': [
    one({ '.github/workflows/ci.yml': 'on: push\n' }),
    /changes \.github\/workflows\/ci\.yml/,
  ],
  'changes a workflow in another case': [
    one({ '.GitHub/workflows/ci.yml': 'on: push\n' }),
    /changes \.GitHub/,
  ],
  'moves a file out of .github': [
    {
      commits: [
        {
          files: {
            '.github/pull_request_template.md': null,
            'docs/template.md': '## Checklist\n\n- [ ] I have read the guide\n',
          },
        },
      ],
    },
    /changes \.github\/pull_request_template\.md/,
  ],
  'adds a workflow and takes it away again': [
    { commits: [{ files: { '.github/x.yml': 'on: push\n' } }, { files: { '.github/x.yml': null } }] },
    /changes \.github\/x\.yml/,
  ],
  'adds a link': [one({ 'src/passwords': { link: '/etc/passwd' } }), /makes src\/passwords a link/],
  'adds a submodule': [
    one(
      {},
      {
        also: ({ git }: { git: (...args: string[]) => string }) =>
          git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`),
      },
    ),
    /makes sub a submodule/,
  ],
  'names submodules': [
    one({ '.gitmodules': '[submodule "a"]\n\tpath = a\n\turl = https://example.com/a\n' }),
    /submodule/,
  ],
  'adds a secret': [one({ 'src/add.js': `${add}const key = '${token}'\n` }), /adds a secret to src\/add\.js/],
  'adds a secret and takes it away again': [
    { commits: [{ files: { 'src/key.js': `const key = '${token}'\n` } }, { files: { 'src/key.js': null } }] },
    /adds a secret to src\/key\.js/,
  ],
  'has a secret in a message': [
    one({ 'src/add.js': add }, { message: `${honestMessage}\n${token}\n` }),
    /message of .* holds a secret/,
  ],
  'has a secret in a note': [
    { notes: (commit) => [{ commit, text: JSON.stringify({ key: token }) }] },
    /note on .* holds a secret/,
  ],
  'keeps the checks from running': [
    one({ 'src/add.js': add }, { message: `${honestMessage}\n[skip ci]\n` }),
    /keeps the checks of GitHub from running/,
  ],
  'has a commit that no issue asked for': [
    {
      commits: [{ files: { 'src/add.js': add } }, { files: { 'src/half.js': '\n' } }],
      alter: (delivery) => ({ ...delivery, issues: delivery.issues.slice(0, 1) }),
    },
    /belongs to none of its issues/,
  ],
  'names a commit that it does not have': [
    {
      alter: (delivery) => ({
        ...delivery,
        issues: [...delivery.issues, { ...delivery.issues[0], commit_sha: '2'.repeat(40) }],
      }),
    },
    /does not have 222222222222/,
  ],
  'has a commit without its trailers': [
    one({ 'src/add.js': add }, { message: 'fix: trust me\n' }),
    /does not say that it is about BE-001/,
  ],
  'has a merge': [
    one(
      { 'src/add.js': add },
      {
        also: ({ git }: { git: (...args: string[]) => string }) =>
          git('update-ref', 'MERGE_HEAD', git('commit-tree', 'HEAD^{tree}', '-m', 'other')),
      },
    ),
    /is a merge/,
  ],
  'brings the default branch': [{ branch: 'main' }, /only branches below fix\//],
  'brings a branch that sets something off': [{ branch: 'release/1.0' }, /only branches below fix\//],
  'brings a branch with a name that git does not allow': [{ branch: 'fix/a..b' }, /does not allow the name/],
  'brings another branch beside its own': [
    {
      bytes: header(([signature = '', need = '', ...refs]) => [
        signature,
        need,
        ...refs,
        `${refs[0]?.slice(0, 40)} refs/heads/fix/other`,
      ]),
    },
    /brings "refs\/heads\/fix\/other"/,
  ],
  'moves a branch of somebody else': [{ branch: 'fix/of-ada' }, /fix\/of-ada is there already/],
  'has a note on a commit of others': [
    { notes: (_tip, commit) => [{ commit, text: '{}\n' }] },
    /note on a commit that is not its own/,
  ],
  'has a note that is no JSON': [
    { notes: (commit) => [{ commit, text: 'proven!\n' }] },
    /note on .* cannot be read/,
  ],
  'builds on what nobody pushed': [{ below: true }, /builds on .*, which main does not have/],
  'says that it ends elsewhere': [
    { alter: (delivery) => ({ ...delivery, tip_commit: delivery.base_commit }) },
    /ends elsewhere/,
  ],
  'says that it builds on something else': [
    { alter: (delivery) => ({ ...delivery, base_commit: delivery.tip_commit }) },
    /builds on another commit than it says/,
  ],
  'would be merged into a branch that is not there': [
    { alter: (delivery) => ({ ...delivery, base_branch: 'nowhere' }) },
    /no branch "nowhere"/,
  ],
  'says nothing that can be read': [
    { alter: () => ({ schema: 'fixpoint.bundle.v1', issues: 'all' }) },
    /cannot be read/,
  ],
  'has a huge file': [one({ 'src/add.js': ' '.repeat(21 * 2 ** 20) }), /a file in it has \d+ bytes/],
  'is cut': [{ bytes: (bytes) => bytes.subarray(0, -30) }, /git says/],
  'has a bit turned': [
    {
      bytes: (bytes) =>
        Buffer.concat([bytes.subarray(0, -40), Buffer.from([(bytes.at(-40) ?? 0) ^ 1]), bytes.subarray(-39)]),
    },
    /git says/,
  ],
  'promises a billion objects': [
    {
      bytes: (bytes) => {
        bytes.writeUInt32BE(1e9, bytes.indexOf('PACK') + 8)
        return bytes
      },
    },
    /holds 1000000000 objects/,
  ],
  'builds on two commits': [
    { bytes: header(([signature = '', need = '', ...refs]) => [signature, need, need, ...refs]) },
    /exactly one commit/,
  ],
  'is no bundle': [{ bytes: () => Buffer.from('#!/bin/sh\ntouch /tmp/here\n\nPACK') }, /is refused/],
}

describe('a bundle that somebody made by hand', () => {
  it('is taken when nothing is wrong with it, and nothing is written in a dry run', async () => {
    const before = standing()
    const shown = await publish(await forger.forge({}), { isDryRun: true })
    expect(shown).toMatchObject({ branch: 'fix/add-subtracts', pushed: false, number: null })
    expect(shown.body).toContain('nothing of them was run here')
    expect(standing()).toBe(before)
  })

  it.each(Object.entries(forgeries))(
    'that %s is refused, and nothing is pushed',
    async (_what, [forgery, why]) => {
      project.forge.bare.git(
        'update-ref',
        'refs/heads/fix/of-ada',
        project.forge.bare.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'mine'),
      )
      const before = standing()
      const writes = () =>
        project.forge.requests.filter(({ method, path }) => method !== 'GET' && path.startsWith('/repos/'))
          .length
      const written = writes()
      const fault = await publish(await forger.forge(forgery)).catch((error: unknown) => error)
      expect(fault).toMatchObject({ code: 'bundle_refused', message: expect.stringMatching(why) as string })
      expect(standing()).toBe(before)
      expect(writes()).toBe(written)
    },
  )

  it('that was made for a session that nobody asked for is refused', async () => {
    await expect(publish(await forger.forge({}), { session: 'ses_other' })).rejects.toThrow(
      /is of ses_forged/,
    )
  })
})

describe('a bundle of a session', () => {
  it('is published by a machine that has never seen the session: once, with notes, and with what waits for a person', async () => {
    const { bytes, held, delivery } = await exportBundle(project.app, undefined)
    const code = delivery.issues.find(({ outcome }) => outcome === 'held')?.code
    expect(held).toEqual([code])
    const first = await publish(bytes)
    expect(first).toMatchObject({
      created: true,
      pushed: true,
      branch: delivery.branch,
      head_sha: delivery.tip_commit,
      warnings: [],
    })
    expect(await publish(bytes)).toMatchObject({ created: false, pushed: false, number: first.number })
    const all = await pulls()
    expect(all).toHaveLength(1)
    expect(all[0]?.body).toContain('## Checklist')
    expect(all[0]?.body).toContain(`held/${code}.patch`)
    expect(project.forge.bare.tip(`refs/heads/${delivery.branch}`)).toBe(delivery.tip_commit)
    expect(project.forge.bare.git('notes', '--ref=fixpoint', 'show', delivery.tip_commit)).toContain(
      'fixpoint',
    )
  })

  it('can be read by git alone', async () => {
    const { bytes, held, delivery } = await exportBundle(project.app, undefined)
    const file = join(project.folder, 'plain.bundle')
    writeFileSync(file, bytes)
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: privileged.git.root, env: project.env }).toString('utf8')
    git('bundle', 'verify', '--quiet', file)
    git('fetch', '--quiet', file, 'refs/fixpoint/delivery', `${delivery.branch}:plain`)
    expect(git('rev-parse', 'plain').trim()).toBe(delivery.tip_commit)
    expect(git('show', `FETCH_HEAD:held/${held[0]}.patch`)).toContain('test/add.test.js')
  })
})
