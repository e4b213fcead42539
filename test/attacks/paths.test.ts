import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { configOf, createPlaces, envOf, fixpointIn, sources } from '../fixtures/command-line.ts'
import type { FixtureRepository } from '../fixtures/repositories.ts'
import { startTestServer } from '../fixtures/server.ts'

const places = createPlaces()
afterEach(places.disposeAll)

const canary = 'CANARY_of_paths_4711'

/** A repository whose files lead elsewhere, beside a file that is nobody's business. */
function openMisleading() {
  const { repository } = places.open({
    ...sources,
    'fixpoint.yaml': configOf("agents:\n  fixer: { use: command, run: 'true' }\n"),
    'src/folder': { link: '../../secret' },
    'src/secret.js': { link: '../../secret/key.js' },
    'src/zero.js': { link: '/dev/zero' },
    'src/descriptor.js': { link: '/proc/self/fd/0' },
    'src/environment.js': { link: '/proc/self/environ' },
  })
  const secret = join(repository.folder, 'secret')
  mkdirSync(secret)
  writeFileSync(join(secret, 'key.js'), `debugger // ${canary}\n`)
  return { repository, secret, env: envOf(repository, { A_KEY_OF_OTHERS: canary }) }
}

/** The paths of a report that tries to be shown what is not in the repository, and what is no file. */
const pathsOutside = (secret: string): readonly string[] => [
  '../secret/key.js',
  'src/../../secret/key.js',
  '../../../../../../../../etc/passwd',
  join(secret, 'key.js'),
  `file://${secret}/key.js`,
  '..%2Fsecret%2Fkey.js',
  'src/number.js\0../secret/key.js',
  'C:\\Users\\key.js',
  '\\\\?\\C:\\key.js',
  '\\\\server\\share\\key.js',
  '..\\secret\\key.js',
  '/dev/zero',
  '/proc/self/fd/0',
  '/proc/self/environ',
  '.git/config',
  'src/folder/key.js',
  'src/secret.js',
  'src/zero.js',
  'src/descriptor.js',
  'src/environment.js',
  'src/hard.js',
  'src/pipe.js',
]

const reportOf = (paths: readonly string[]): string =>
  JSON.stringify({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'liar' } },
        results: paths.map((uri, index) => ({
          ruleId: `rule-${index}`,
          message: { text: 'Look at this line' },
          locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } } }],
        })),
      },
    ],
  })

/** All that Fixpoint keeps, as one text; compressed pages of a database would show plain text too. */
const keptIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')

const makePipe = (repository: FixtureRepository, path: string): void => {
  rmSync(join(repository.root, path), { force: true })
  execFileSync('mkfifo', [join(repository.root, path)])
}

describe('paths that lead out of a repository', () => {
  it('show nothing of what is there, in whatever way a finding names them', async () => {
    const { repository, secret, env } = openMisleading()
    linkSync(join(secret, 'key.js'), join(repository.root, 'src/hard.js'))
    makePipe(repository, 'src/pipe.js')
    const paths = pathsOutside(secret)
    const report = join(repository.folder, 'report.sarif')
    writeFileSync(report, reportOf(paths))
    const said: string[] = []
    const run = (...args: string[]) => {
      const { exitCode, stdout, stderr } = fixpointIn(repository.root, env, args)
      said.push(stdout, stderr)
      expect(exitCode, `${args.join(' ')}: ${stderr}`).toBeLessThan(2)
      return stdout
    }
    run('import', report)
    const { issues } = JSON.parse(run('issues', 'list', '--json')) as {
      issues: readonly { id: string; code: string }[]
    }
    expect(issues).toHaveLength(paths.length)
    for (const { code } of issues) run('issues', 'show', code)
    for (const format of ['sarif', 'markdown', 'json']) run('export', format)
    run('review', '--yes')
    run('fix', '--all', '--yes')
    const server = await startTestServer({ root: repository.root, home: repository.home, env })
    for (const { id } of issues)
      for (const path of [`/api/fix/issues/${id}`, `/api/fix/issues/${id}/code`])
        said.push((await server.ask(path)).text)
    expect(said.at(-2)).toContain(issues.at(-1)?.code)
    await server.end()
    expect(said.join('\n')).not.toMatch(/CANARY|root:x:/)
    expect(keptIn(repository.home)).not.toMatch(/CANARY|root:x:/)
  })
})

it.each([
  '.gitignore',
  'src/.gitignore',
  'src/.gitattributes',
  '.fixpoint/ignored.yaml',
  '.git/hooks/update',
])('a pipe in the place of %s keeps nobody waiting', (path) => {
  const { repository } = places.open({ ...sources, 'fixpoint.yaml': configOf() })
  mkdirSync(join(repository.root, '.fixpoint'), { recursive: true })
  mkdirSync(join(repository.root, '.git/hooks'), { recursive: true })
  makePipe(repository, path)
  const run = (...args: string[]) => fixpointIn(repository.root, envOf(repository), args).exitCode
  expect(run('review', '--uncommitted', '--yes')).toBe(0)
  expect(run('review', '--yes')).toBe(0)
  expect(run('issues', 'ignore', 'BE-001', '--reason', 'known', '--shared')).toBe(
    path === '.fixpoint/ignored.yaml' ? 2 : 0,
  )
  expect(run('fix', '--all', '--yes')).toBeLessThan(2)
})
