import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { makeEvil, markersOf, poison, ran } from '../fixtures/attacks/poison.ts'
import { configOf, createPlaces, envOf, fixpointIn, sources } from '../fixtures/command-line.ts'
import { describeInJail } from '../fixtures/jail.ts'
import { snapshotOf, writeFiles, type FixtureRepository } from '../fixtures/repositories.ts'
import { startTestServer } from '../fixtures/server.ts'

const places = createPlaces()
afterEach(places.disposeAll)

const ours = ['refs/heads/fix', 'refs/notes', 'refs/fixpoint']

/** Does everything that a person does on the command line and in the dashboard, without a jail that could hide a fault. */
async function doEverything(
  repository: FixtureRepository,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const run = (...args: string[]) => fixpointIn(repository.root, env, args)
  const first = run('review', '--yes')
  expect(first.stderr + first.stdout).toContain('Found')
  const fixed = run('fix', '--all', '--yes', '--json')
  const { id, branch_name: branch } = fixed.json<{ id: string; branch_name: string }>()
  for (const args of [
    ['doctor'],
    ['issues', 'list'],
    ['sessions', 'list'],
    ['sessions', 'show', id],
    ['verify', branch],
    ['trust', '--show'],
    ['export', '--format', 'sarif'],
  ])
    run(...args)
  const server = await startTestServer({ root: repository.root, home: repository.home, env })
  for (const path of [
    '/api/repositories',
    `/api/sessions/${id}`,
    `/api/sessions/${id}/diff`,
    '/api/overview',
  ])
    await server.ask(path)
  await server.end()
  return branch
}

describe('a hostile repository', () => {
  it('runs no hook, filter, driver, alias or monitor of its git directory, whatever is asked of it', async () => {
    const { repository } = places.open({ ...sources, 'fixpoint.yaml': configOf() })
    repository.write({ 'src/parse.js': '// edited by the person\n' })
    poison(repository, join(repository.root, '.git'), repository.root)
    const before = snapshotOf(repository.root, ours)
    const branch = await doEverything(repository, envOf(repository))
    expect(ran(repository)).toEqual([])
    expect(snapshotOf(repository.root, ours)).toEqual(before)
    const { env } = repository
    const log = execFileSync(
      'git',
      ['--no-pager', '-c', 'log.showSignature=false', 'log', '-1', '--format=%an', branch],
      {
        cwd: repository.root,
        env,
      },
    )
    expect(log.toString()).toBe('Ada\n')
  })

  it('stands in for no program that Fixpoint starts, also where npm puts its folder first, and loads nothing by the files that configure tools', async () => {
    const { repository } = places.open({ ...sources, 'fixpoint.yaml': configOf() })
    const evil = makeEvil(repository)
    const names = 'git node sh bash env ssh bwrap unshare mount claude gemini codex gh npm openssl'.split(' ')
    const program = (name: string) => `#!/bin/sh\n${evil(`shadow-${name}`)} < /dev/null\nexit 1\n`
    const shadows = names.flatMap((name) =>
      ['node_modules/.bin', 'bin', '.'].map(
        (folder) => [join(folder, name), { program: program(name) }] as const,
      ),
    )
    writeFiles(repository.root, Object.fromEntries(shadows))
    const touch = (name: string) => join(markersOf(repository), name)
    const script = (name: string) => `require('fs').writeFileSync(${JSON.stringify(touch(name))}, '')\n`
    const variables = (name: string) =>
      `NODE_OPTIONS=--require=${join(repository.root, 'evil.cjs')}\nLD_PRELOAD=${touch(name)}.so\nGIT_SSH_COMMAND=touch ${touch(name)}\nFIXPOINT_SANDBOX=off\n`
    repository.write({
      'evil.cjs': script('node-options'),
      '.env': variables('env'),
      '.env.local': variables('env-local'),
      '.envrc': `touch ${touch('envrc')}\n`,
      '.npmrc': `node-options=--require=${join(repository.root, 'evil.cjs')}\nscript-shell=${touch('npmrc')}\n`,
      '.eslintrc.js': script('eslintrc'),
      'eslint.config.js': `import fs from 'node:fs'\nfs.writeFileSync(${JSON.stringify(touch('eslint'))}, '')\n`,
      'fixpoint.config.js': script('fixpoint-config'),
      '.fixpoint/rules.js': script('fixpoint-rules'),
      '.oxlintrc.json': `{ "jsPlugins": ["./evil.cjs"], "extends": ["./evil.cjs"] }`,
      'tsconfig.json': `{ "extends": "./evil.cjs", "compilerOptions": { "plugins": [{ "name": "./evil.cjs" }] } }`,
      '.git-blame-ignore-revs': 'x\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::touch ${touch('submodule')}\n\tupdate = !touch ${touch('update')}\n`,
    })
    repository.commitAll('programs and configuration')
    const folders = ['.', 'node_modules/.bin', 'bin', join(repository.root, 'node_modules/.bin')]
    const path = [...folders, repository.env['PATH'] ?? ''].join(':')
    await doEverything(repository, envOf(repository, { PATH: path }))
    expect(ran(repository)).toEqual([])
  })
})

describeInJail('checks of a repository that somebody trusted', () => {
  it('run their own code inside of the jail alone, with an environment that holds no key', () => {
    const { repository } = places.open({
      ...sources,
      'package.json': JSON.stringify({
        name: 'sample',
        type: 'module',
        scripts: { pretest: 'sh evil.sh pre', test: 'node --test', posttest: 'sh evil.sh post' },
      }),
      Makefile: 'all:\n\tsh evil.sh make\n',
      'conftest.py': 'x = 1\n',
    })
    const outside = join(repository.folder, 'outside')
    mkdirSync(outside)
    const script = `env > seen-$1; touch ${outside}/$1; cat ${repository.home}/* ~/.ssh/id_x >> seen-$1 2>&1; grep -l CANARY seen-$1 && exit 3; exit 0\n`
    repository.write({
      'evil.sh': script,
      'fixpoint.yaml': 'verify: { commands: [{ name: test, run: npm test }, { name: make, run: make }] }\n',
    })
    repository.commitAll('scripts')
    const user = repository.env['HOME'] ?? ''
    mkdirSync(join(user, '.ssh'))
    writeFileSync(join(user, '.ssh/id_x'), 'CANARY')
    const env = envOf(repository, {
      FIXPOINT_SANDBOX: 'required',
      ANTHROPIC_API_KEY: 'CANARY',
      GITHUB_TOKEN: 'CANARY',
      DATABASE_URL: 'postgres://me:CANARY@127.0.0.1/x',
      AWS_SECRET_ACCESS_KEY: 'CANARY',
    })
    expect(fixpointIn(repository.root, env, ['review', '--yes'])).toMatchObject({ exitCode: 0 })
    const fixed = fixpointIn(repository.root, env, ['fix', '--all', '--yes', '--json'])
    expect(fixed.json()).toMatchObject({ sandbox: expect.stringMatching(/^jail/) as string })
    expect(readdirSync(outside)).toEqual([])
    expect(repository.git('branch', '--list', 'fix/*')).not.toBe('')
  })
})
