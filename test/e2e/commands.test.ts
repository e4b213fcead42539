import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createPlaces, envOf, fixpointIn, sources } from '../fixtures/command-line.ts'
import { snapshotOf } from '../fixtures/repositories.ts'

const places = createPlaces()
afterEach(places.disposeAll)

describe('init', () => {
  test('writes a file that loads, says why, and leaves the rest of the checkout as it was', () => {
    const { repository, fixpoint } = places.open()
    const before = snapshotOf(repository.root)
    const ran = fixpoint('init', '--json', '--yes')
    expect(ran).toMatchObject({ exitCode: 0 })
    expect(ran.json()).toMatchObject({
      schema: 'fixpoint.init.v1',
      file: join(repository.root, 'fixpoint.yaml'),
      trusted: true,
      warnings: [],
      commands: [{ name: 'test', run: 'npm test', why: expect.stringContaining('package.json') }],
    })
    expect(fixpoint('config').exitCode).toBe(0)
    const { 'fixpoint.yaml': _, '.git/refs/fixpoint/repository': _id, ...after } = snapshotOf(repository.root)
    expect(after).toEqual(before)
  })

  test('does not trust the commands when nobody can be asked, and says what to do', () => {
    const { fixpoint } = places.open()
    const ran = fixpoint('init')
    expect(ran.exitCode).toBe(0)
    expect(ran.stdout).toContain('npm test')
    expect(ran.stderr).toMatch(/not trusted yet.*fixpoint trust/s)
    expect(fixpoint('fix', '--all', '--json').json()).toMatchObject({
      schema: 'fixpoint.error.v1',
      code: 'not_trusted',
    })
  })

  test('replaces a file only when it is told to', () => {
    const { repository, fixpoint } = places.open({ ...sources, 'fixpoint.yaml': 'sandbox: [broken' })
    const refused = fixpoint('init', '--json')
    expect(refused.exitCode).toBe(2)
    expect(refused.json()).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('fixpoint.yaml is there already'),
      hint: expect.stringContaining('--force'),
    })
    expect(readFileSync(join(repository.root, 'fixpoint.yaml'), 'utf8')).toBe('sandbox: [broken')
    expect(fixpoint('init', '--force', '--yes').exitCode).toBe(0)
    expect(fixpoint('config').exitCode).toBe(0)
  })

  test('warns loudly when nothing can be proven, and says how to allow it', () => {
    const { fixpoint } = places.open({ 'readme.md': 'hello\n' })
    const ran = fixpoint('init')
    expect(ran.exitCode).toBe(0)
    expect(ran.stderr).toMatch(/NO TEST COMMAND WAS FOUND.*min_evidence: E0/)
  })

  test('writes the file before the first commit too, and says what is missing', () => {
    const { repository, fixpoint } = places.open()
    repository.git('update-ref', '-d', 'HEAD')
    const ran = fixpoint('init', '--json')
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/no commit.*first commit/) })
    expect(ran.json()).toMatchObject({ schema: 'fixpoint.init.v1', trusted: false })
    expect(existsSync(join(repository.root, 'fixpoint.yaml'))).toBe(true)
    expect(fixpoint('doctor').stdout).toMatch(/no commit/)
    expect(fixpoint('doctor').stdout).not.toContain('no fixpoint.yaml')
  })

  test('refuses a file of another name that nothing reads', () => {
    const { repository, fixpoint } = places.open({ ...sources, 'fixpoint.yml': 'sandbox: auto\n' })
    expect(fixpoint('init').stderr).toMatch(/fixpoint\.yml is there, but only fixpoint\.yaml is read/)
    expect(existsSync(join(repository.root, 'fixpoint.yaml'))).toBe(false)
  })
})

describe('config', () => {
  test('prints every setting with its value and its source', () => {
    const { repository } = places.open({ ...sources, 'fixpoint.yaml': 'challenge: { threshold: 80 }\n' })
    const env = envOf(repository, { FIXPOINT_FIX_MAX_ROUNDS: '2' })
    const ran = fixpointIn(repository.root, env, ['config', '--json'])
    const { schema, settings } = ran.json()
    expect(schema).toBe('fixpoint.config.v1')
    expect(settings).toContainEqual({
      key: 'challenge.threshold',
      value: 80,
      source: 'repository',
      where: expect.stringMatching(/^fixpoint\.yaml:1:/),
    })
    expect(settings).toContainEqual({
      key: 'fix.max_rounds',
      value: 2,
      source: 'env',
      where: 'FIXPOINT_FIX_MAX_ROUNDS',
    })
    expect(settings).toContainEqual({ key: 'land.min_evidence', value: 'E1', source: 'default', where: null })
    expect(fixpointIn(repository.root, env, ['config']).stdout).toMatch(
      /^challenge\.threshold +80 +repository fixpoint\.yaml:1:/m,
    )
  })

  test('works outside of a repository, and prints the schema', () => {
    const fixpoint = places.openOutside()
    expect(fixpoint('config', '--json').json()).toMatchObject({
      schema: 'fixpoint.config.v1',
      file: null,
    })
    expect(JSON.parse(fixpoint('config', '--schema').stdout)).toMatchObject({
      title: 'fixpoint.yaml',
      type: 'object',
    })
  })

  test('names everything that is wrong in a broken file at once', () => {
    const { fixpoint } = places.open({
      ...sources,
      'fixpoint.yaml': 'challange: {}\nfix: { max_rounds: many }\n',
    })
    const ran = fixpoint('config', '--json')
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({
      schema: 'fixpoint.error.v1',
      code: 'config_invalid',
      message: expect.stringMatching(/challange.*challenge.*\n.*fix\.max_rounds/s),
    })
  })
})

describe('completion', () => {
  test('completes commands, subcommands and options in bash', () => {
    const fixpoint = places.openOutside()
    const { stdout } = fixpoint('completion', 'bash')
    const complete = (...words: string[]): readonly string[] => {
      const ask = `COMP_WORDS=(fixpoint ${words.map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length}\n_fixpoint\nprintf '%s\\n' "\${COMPREPLY[@]}"`
      return execFileSync('bash', ['-c', `${stdout}\n${ask}`], { encoding: 'utf8' })
        .trim()
        .split('\n')
    }
    expect(complete('re')).toEqual(['repos', 'review', 'replay', 'resume', 'reject'])
    expect(complete('issues', 're')).toEqual(['reopen', 'resolve'])
    expect(complete('issues', 'ignore', 'BE-001', '--u')).toEqual(['--until'])
    expect(complete('fix', '--all', '--max')).toEqual(['--max-fix-cycles', '--max-passes'])
  })

  test('refuses an unknown shell', () => {
    const fixpoint = places.openOutside()
    const ran = fixpoint('completion', 'csh', '--json')
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({ code: 'usage', hint: 'Known are bash, zsh, fish.' })
  })
})

describe('bad surroundings', () => {
  const everywhere = [
    'issues show BE-001',
    'issues reopen BE-001',
    'sessions list',
    'sessions show ses_1',
    'export sarif',
    'init',
  ]

  test.each(everywhere)('%s says that it is not in a repository', (line) => {
    const fixpoint = places.openOutside()
    const ran = fixpoint(...line.split(' '), '--json')
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({
      schema: 'fixpoint.error.v1',
      code: 'not_a_repository',
      message: expect.stringMatching(/^\/.* is not in a git repository$/),
      hint: expect.stringContaining('git init'),
    })
  })

  test('a home that cannot be written is named', () => {
    const { repository } = places.open()
    const env = envOf(repository, { FIXPOINT_HOME: join(repository.root, 'package.json/home') })
    const ran = fixpointIn(repository.root, env, ['sessions', 'list', '--json'])
    expect(ran.exitCode).toBe(2)
    expect(ran.json()).toMatchObject({
      code: 'home_unusable',
      message: expect.stringContaining('package.json/home'),
      hint: expect.stringContaining('FIXPOINT_HOME'),
    })
  })

  test.each(['doctor --nope', 'issues ignore BE-001', 'sessions show', 'isues'])(
    '%s is refused as usage',
    (line) => {
      const ran = places.openOutside()(...line.split(' '), '--json')
      expect(ran.exitCode).toBe(2)
      expect(ran.json()).toMatchObject({
        schema: 'fixpoint.error.v1',
        code: 'usage',
        hint: expect.stringContaining('--help'),
        retryable: false,
      })
    },
  )

  test('fix --all where nothing is open ends well, and says where findings come from', () => {
    const { fixpoint } = places.open()
    const ran = fixpoint('fix', '--all', '--yes', '--json')
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('fixpoint review') })
    expect(ran.json()).toMatchObject({ issues_requested: 0, status: 'completed' })
  })
})

describe('help', () => {
  test.each(['help', 'help fix', 'help issues list', 'fix --help'])('%s is an answer: exit 0', (line) => {
    const ran = places.openOutside()(...line.split(' '))
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^Usage: fixpoint /)
  })

  test('of an unknown command is refused', () => {
    expect(places.openOutside()('help', 'nope')).toMatchObject({ exitCode: 2, stdout: '' })
  })

  test.each([
    ['fix --nope', 'fixpoint fix --help'],
    ['issues show', 'fixpoint issues show --help'],
    ['issues lst', 'fixpoint issues --help'],
    ['nope', 'fixpoint --help'],
  ])('%s points to %s', (line, help) => {
    expect(places.openOutside()(...line.split(' ')).stderr).toContain(`(${help} shows what there is)`)
  })
})
