import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bin, configOf, createPlaces, envOf, fixpointIn, sources } from '../fixtures/command-line.ts'
import { findInstalled, startPostgres } from '../fixtures/postgres.ts'

const installed = findInstalled()

/** The commands of the page for operators, word for word. */
function backupLines(): readonly string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const [, block = ''] = /## Back up and restore[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? []
  return block.split('\n').filter(Boolean)
}

it.skipIf(installed === null)(
  'the commands that docs/operations.md names bring a database back as it was',
  async () => {
    const places = createPlaces()
    const server = await startPostgres(installed)
    try {
      const config = `${configOf()}agents: { fixer: rules, challenger: rules }\n`
      const { repository } = places.open({ ...sources, 'fixpoint.yaml': config })
      const env = envOf(repository, { FIXPOINT_DATABASE: await server.createDatabase() })
      const fixpoint = (...args: string[]) => fixpointIn(repository.root, env, args)
      fixpoint('db', 'migrate')
      fixpoint('review', '--yes')
      fixpoint('fix', '--all', '--yes')
      const state = () => [
        fixpoint('issues', 'list', '--all', '--json').json(),
        fixpoint('sessions', 'list', '--json').json(),
      ]
      const before = state()
      expect(JSON.stringify(before)).toContain('resolved')
      const [dump = '', restore = '', look = ''] = backupLines()
      expect([dump, restore, look].map((line) => line.split(' ')[0])).toEqual([
        'pg_dump',
        'pg_restore',
        'fixpoint',
      ])
      const run = (line: string): string =>
        execFileSync('sh', ['-c', `fixpoint() { ${process.execPath} ${bin} "$@"; }; ${line}`], {
          cwd: repository.root,
          env: { ...env, PATH: `${installed}:${env['PATH'] ?? ''}` },
          encoding: 'utf8',
        })
      run(dump)
      fixpoint('issues', 'ignore', '--all', '--reason', 'lost')
      run(restore)
      expect(run(look)).toContain('is whole')
      expect(state()).toEqual(before)
    } finally {
      await server.stop()
      places.disposeAll()
    }
  },
)
