import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectMirrors } from '../../src/adapters/workspaces/mirrors/collect-mirrors.ts'
import { createMirrors, usedFile, type Mirrors } from '../../src/adapters/workspaces/mirrors/mirrors.ts'
import { sshCommand } from '../../src/adapters/workspaces/mirrors/mirror-git.ts'
import type { Store } from '../../src/adapters/store/index.ts'
import { loadConfig } from '../../src/app/config/load-config.ts'
import { openMirrors, openWay } from '../../src/app/mirrors/open-mirrors.ts'
import { asFault } from '../../src/model/fault.ts'
import { parseRepositoryUrl } from '../../src/model/repository-url.ts'
import { startGitServer, type GitServer } from '../fixtures/forge/git-server.ts'
import { makeFolder } from '../fixtures/repositories.ts'

let server: GitServer
let place: ReturnType<typeof makeFolder>
let home: string
beforeEach(async () => {
  server = await startGitServer()
  server.commit({ 'README.md': 'first\n', 'old.txt': 'old\n' })
  place = makeFolder()
  home = join(place.folder, 'home')
})
afterEach(async () => {
  await server.close()
  place.dispose()
})

const mirrorsFor = (allowed = server.host): Mirrors => {
  const env = { ...place.env, ...(allowed !== '' && { FIXPOINT_SERVER_ALLOW_HOSTS: allowed }) }
  const openNow = async (at: Parameters<typeof openWay>[0]) =>
    openWay(at, (await loadConfig({ repositoryRoot: null, env })).config, env)
  return createMirrors({ home, env, openWay: openNow })
}
const gitIn = (root: string, ...args: string[]): string =>
  execFileSync('git', args, {
    cwd: root,
    env: { ...place.env, GIT_NO_LAZY_FETCH: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
    .toString()
    .trim()
const missingIn = (root: string): number =>
  gitIn(root, 'rev-list', '--objects', '--all', '--missing=print')
    .split('\n')
    .filter((line) => line.startsWith('?')).length
const asked = (kind: string): number => server.requests.filter((path) => path.includes(kind)).length

describe('a mirror', () => {
  it('holds the files of the default branch, and of older commits only the history', async () => {
    const second = server.commit({ 'README.md': 'second\n' })
    const { root, stale } = await mirrorsFor().bring(parseRepositoryUrl(server.url))
    expect([stale, readFileSync(join(root, 'README.md'), 'utf8'), gitIn(root, 'rev-parse', 'HEAD')]).toEqual([
      null,
      'second\n',
      second,
    ])
    expect(missingIn(root)).toBe(1)
    expect(gitIn(root, 'status', '--porcelain')).toBe('')
  })

  it('follows its default branch, and brings a commit that is asked for with all its files', async () => {
    const at = parseRepositoryUrl(server.url)
    const mirrors = mirrorsFor()
    const first = server.bare.tip('refs/heads/main') ?? ''
    server.commit({ 'README.md': 'second\n' })
    const { root } = await mirrors.bring(at)
    const third = server.commit({ 'README.md': 'third\n' })
    await mirrors.bring(at, { maxAgeMs: 0 })
    expect([gitIn(root, 'rev-parse', 'HEAD'), readFileSync(join(root, 'README.md'), 'utf8')]).toEqual([
      third,
      'third\n',
    ])
    await mirrors.bring(at, { commits: [first] })
    expect(gitIn(root, 'show', `${first}:README.md`)).toBe('first')
  })

  it('is fetched once for all who ask at the same time, in this process and in others', async () => {
    const at = parseRepositoryUrl(server.url)
    await Promise.all(Array.from({ length: 5 }, () => mirrorsFor().bring(at)))
    const mirrors = mirrorsFor()
    await Promise.all(Array.from({ length: 5 }, () => mirrors.bring(at)))
    const cloning = asked('info/refs')
    await mirrors.bring(at)
    expect([asked('info/refs'), cloning < 5]).toEqual([cloning, true])
  })

  it('is used as it was while the other side is away, and says so; what was never there is a fault', async () => {
    const at = parseRepositoryUrl(server.url)
    await mirrorsFor().bring(at)
    server.isAway = true
    expect(await mirrorsFor().bring(at, { maxAgeMs: 0 })).toMatchObject({
      stale: expect.stringContaining('could not be fetched'),
    })
    await expect(mirrorsFor().bring(at, { commits: ['a'.repeat(40)] })).rejects.toMatchObject({
      code: 'forge_busy',
    })
    await expect(mirrorsFor().bring(parseRepositoryUrl(`${server.url}2`))).rejects.toMatchObject({
      code: 'forge_busy',
    })
    expect(readdirSync(join(home, 'mirrors')).filter((name) => /\.(new|old|lock)$/.test(name))).toEqual([])
  })

  it('goes to a private address only where the operator named the host, also by a redirect', async () => {
    const at = parseRepositoryUrl(server.url)
    await expect(mirrorsFor('').bring(at)).rejects.toMatchObject({
      code: 'forge_refused',
      hint: expect.stringContaining('server.allow_hosts'),
    })
    await expect(
      mirrorsFor('').bring(parseRepositoryUrl('https://localhost/ada/sample')),
    ).rejects.toMatchObject({ code: 'forge_refused' })
    await expect(mirrorsFor('').bring(parseRepositoryUrl('git@localhost:ada/sample'))).rejects.toMatchObject({
      code: 'forge_refused',
    })
    expect(server.requests).toEqual([])
    const other = await startGitServer()
    other.commit({ 'secret.txt': 'internal\n' })
    server.redirect = `http://${other.host}`
    await expect(mirrorsFor().bring(at)).rejects.toMatchObject({ code: 'forge_refused' })
    expect(other.requests).toEqual([])
    await other.close()
  })

  it.each([
    ['', 'ssh://git@192.168.1.9/ada/sample', 'forge_refused'],
    ['', 'ssh://git@8.8.8.8/ada/sample', '8.8.8.8'],
    ['', 'ssh://git@8.8.8.8:6379/ada/sample', 'forge_refused'],
    ['8.8.8.8:2222', 'ssh://git@8.8.8.8:6379/ada/sample', 'forge_refused'],
    ['10.0.0.5:8443', 'ssh://git@10.0.0.5/ada/sample', 'forge_refused'],
    ['10.0.0.5', 'ssh://git@10.0.0.5:6379/ada/sample', 'forge_refused'],
    ['10.0.0.5', 'ssh://git@10.0.0.5/ada/sample', null],
    ['10.0.0.5:2222', 'ssh://git@10.0.0.5:2222/ada/sample', null],
  ])('with %j named, over SSH %s leads to %s', async (named, url, wanted) => {
    const env = { ...place.env, ...(named !== '' && { FIXPOINT_SERVER_ALLOW_HOSTS: named }) }
    const { config } = await loadConfig({ repositoryRoot: null, env })
    const found = await openWay(parseRepositoryUrl(url), config, env).then(
      ({ sshAddress }) => sshAddress,
      (error: unknown) => asFault(error).code,
    )
    expect(found).toBe(wanted)
  })

  it("asks git's credential helpers for a private one, and keeps nothing of what they say", async () => {
    server.login = 'ada:canary-password-77'
    const at = parseRepositoryUrl(server.url)
    await expect(mirrorsFor().bring(at)).rejects.toMatchObject({ code: 'forge_auth' })
    const helper = '!f() { echo username=ada; echo password=canary-password-77; }; f'
    execFileSync('git', ['config', '--global', `credential.http://${server.host}.helper`, helper], {
      env: place.env,
    })
    const { root } = await mirrorsFor().bring(at)
    expect(existsSync(join(root, 'README.md'))).toBe(true)
    expect(() => execFileSync('grep', ['-r', 'canary-password-77', home])).toThrow()
  })

  it('runs nothing that the repository brings along', async () => {
    const mark = join(place.folder, 'ran')
    server.commit({
      '.gitattributes': '* filter=evil\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c 'touch ${mark}'\n`,
    })
    execFileSync('git', ['config', '--global', 'filter.evil.smudge', `touch ${mark}; cat`], {
      env: place.env,
    })
    execFileSync('git', ['config', '--global', 'core.hooksPath', place.folder], { env: place.env })
    writeFileSync(join(place.folder, 'post-checkout'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
    await mirrorsFor().bring(parseRepositoryUrl(server.url))
    expect(existsSync(mark)).toBe(false)
  })

  it('is not made of a few trees that stand for more files than a disk holds', async () => {
    const write = (...entries: string[]): string =>
      execFileSync('git', ['mktree'], { cwd: server.bare.folder, input: `${entries.join('\n')}\n` })
        .toString()
        .trim()
    const names = [...'abcdefghij']
    const blob = server.bare.git('rev-parse', 'main:README.md')
    let tree = write(...names.map((name) => `100644 blob ${blob}\t${name}`))
    for (let level = 0; level < 9; level += 1)
      tree = write(...names.map((name) => `040000 tree ${tree}\t${name}`))
    server.bare.git('update-ref', 'refs/heads/main', server.bare.git('commit-tree', tree, '-m', 'bomb'))
    await expect(mirrorsFor().bring(parseRepositoryUrl(server.url))).rejects.toThrow(
      'more than 2000000 files',
    )
    expect(readdirSync(join(home, 'mirrors')).filter((name) => !name.endsWith('.lock'))).toEqual([])
  })

  it('over SSH is connected to at the very address that was judged', () => {
    expect(sshCommand({ host: 'git.example.com' }, { sshAddress: '192.0.2.7' })).toBe(
      'ssh -o BatchMode=yes -o HostName=192.0.2.7 -o HostKeyAlias=git.example.com',
    )
  })
})

const asSomebody = ['-c', 'user.name=a', '-c', 'user.email=a@b']

describe('the room that mirrors take', () => {
  it('is made free by what was used least lately, never by what only a mirror has or something works in', async () => {
    const make = async (daysAgo: number): Promise<{ root: string; close: () => Promise<void> }> => {
      const other = await startGitServer()
      other.commit({ 'a.txt': 'a'.repeat(10_000) })
      const { root } = await mirrorsFor(other.host).bring(parseRepositoryUrl(other.url))
      const used = new Date(Date.now() - daysAgo * 86_400_000)
      utimesSync(usedFile(root), used, used)
      return { root, close: other.close }
    }
    const [own, worked, old, young] = [await make(9), await make(8), await make(7), await make(0)]
    gitIn(own.root, ...asSomebody, 'commit', '--quiet', '--allow-empty', '-m', 'not pushed')
    const isNeeded = async (root: string): Promise<boolean> => root === worked.root
    const request = { home, env: place.env, isNeeded, isKeptElsewhere: false }
    expect(await collectMirrors({ ...request, budgetBytes: 10 ** 9 })).toEqual([])
    expect(await collectMirrors({ ...request, budgetBytes: 1 })).toEqual([old.root])
    expect([own, worked, old, young].map(({ root }) => existsSync(root))).toEqual([true, true, false, true])
    // What was made here is among the artifacts too, where machines share them.
    expect(await collectMirrors({ ...request, budgetBytes: 1, isKeptElsewhere: true })).toEqual([own.root])
    await Promise.all([own, worked, old, young].map(({ close }) => close()))
  })

  it('stays taken while somebody reviews what a mirror holds, however long that takes', async () => {
    const { root } = await mirrorsFor().bring(parseRepositoryUrl(server.url))
    const longAgo = Date.now() / 1000 - 2 * 60 * 60
    utimesSync(usedFile(root), longAgo, longAgo)
    writeFileSync(join(root, 'large'), '')
    truncateSync(join(root, 'large'), 2 * 1024 ** 3)
    const env = { ...place.env, FIXPOINT_SERVER_MIRRORS_GB: '1' }
    let [ordered, running]: readonly (string | null)[] = [null, null]
    const store = {
      repositories: { list: async () => [{ id: 'rep_a', url: server.url }] },
      sessions: { heads: async () => [] },
      reviewOrders: { open: async () => [{ order: { repository_id: 'rep_a' }, owner: ordered }] },
      reviews: { running: async () => [{ running: { owner: running } }] },
      isOwnerAlive: (owner: string) => owner === 'alive',
    } as unknown as Store
    const collect = () => openMirrors({ home, env, store }).collect()
    ;[ordered, running] = ['alive', null]
    expect(await collect()).toEqual([])
    ;[ordered, running] = [null, 'alive']
    expect(await collect()).toEqual([])
    ;[ordered, running] = ['dead', 'dead']
    expect(await collect()).toEqual([root])
  })

  it('stays taken by a mirror that somebody came for while all were measured', async () => {
    const { root } = await mirrorsFor().bring(parseRepositoryUrl(server.url))
    const longAgo = Date.now() / 1000 - 2 * 60 * 60
    utimesSync(usedFile(root), longAgo, longAgo)
    const isNeeded = async (): Promise<boolean> => {
      utimesSync(usedFile(root), new Date(), new Date())
      return false
    }
    const request = { home, env: place.env, isKeptElsewhere: false, budgetBytes: 1 }
    expect(await collectMirrors({ ...request, isNeeded })).toEqual([])
    utimesSync(usedFile(root), longAgo, longAgo)
    expect(await collectMirrors({ ...request, isNeeded: async () => false })).toEqual([root])
  })

  it('stays taken by commits that only a mirror has, also when its repository leaves the list', async () => {
    const at = parseRepositoryUrl(server.url)
    const env = { ...place.env, FIXPOINT_SERVER_ALLOW_HOSTS: server.host }
    const remove = (isShared: boolean): Promise<void> => {
      const store = { isOwnerAlive: isShared ? () => true : null } as unknown as Store
      const bucket = isShared ? { FIXPOINT_ARTIFACTS_URL: 's3://bucket/x' } : {}
      return openMirrors({ home, env: { ...env, ...bucket }, store }).remove(at)
    }
    const bring = async (): Promise<string> => (await mirrorsFor().bring(at)).root
    const root = await bring()
    await remove(false)
    expect(existsSync(root)).toBe(false)
    await bring()
    gitIn(root, ...asSomebody, 'commit', '--quiet', '--allow-empty', '-m', 'not pushed')
    await remove(false)
    expect(existsSync(root)).toBe(true)
    await remove(true)
    expect(existsSync(root)).toBe(false)
  })
})
