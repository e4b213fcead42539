import { describe, expect, it } from 'vitest'
import { linesIn, packageOf } from '../../../test/fixtures/script-lines.ts'

describe('the files of a task runner', () => {
  it.each([
    ['composer test', 'composer.json'],
    ['composer -d lib run test', 'lib/composer.json'],
    ['composer --working-dir=lib test', 'lib/composer.json'],
    ['deno task test', 'deno.json'],
    ['deno task --config=other.jsonc test', 'other.jsonc'],
    ['just test', 'justfile'],
    ['just -f other.just test', 'other.just'],
    ['cd lib && just test', 'justfile'],
    ['just test', 'parts/more.just'],
    ['just test', 'tools/mod.just'],
    ['task test', 'Taskfile.yml'],
    ['task test', 'parts/Taskfile.yml'],
    ['tox -e py', 'tox.ini'],
    ['python -m tox run', 'tox.ini'],
    ['tox -c lib/tox.ini', 'lib/tox.ini'],
    ['nox -s tests', 'noxfile.py'],
    ['uv run poe test', 'pyproject.toml'],
    ['bundle exec rake test', 'Rakefile'],
    ['npx turbo run test', 'turbo.json'],
    ['pnpm exec turbo@2 test', 'turbo.json'],
    ['node_modules/.bin/nx test a', 'packages/a/project.json'],
    ['yarn nx run-many -t test', 'nx.json'],
    ['npm run wired', 'package.json'],
    ['timeout 60 cargo test', '.cargo/config.toml'],
    ['sh -c "gulp test"', 'gulpfile.js'],
  ])('count with what they hold: %s', async (command, file) => {
    const names =
      'composer.json lib/composer.json deno.json other.jsonc other.just parts/more.just tools/mod.just ' +
      'parts/Taskfile.yml tox.ini lib/tox.ini noxfile.py pyproject.toml Rakefile turbo.json nx.json ' +
      'packages/a/project.json .cargo/config.toml gulpfile.js'
    const files: Readonly<Record<string, string>> = {
      ...Object.fromEntries(names.split(' ').map((path) => [path, 'evil\n'])),
      justfile: "import? 'parts/more.just'\nmod tools\ntest:\n  node evil.mjs\n",
      'Taskfile.yml': 'includes:\n  a: ./parts\n  b:\n    taskfile: ../x\n',
      'package.json': packageOf({ wired: 'wireit' }),
    }
    const lines = await linesIn(command, files)
    expect(lines.map((line) => line.split(' content: ')[0])).toContain(file)
    const changed = { ...files, [file]: `${files[file]}more\n` }
    expect(await linesIn(command, changed)).not.toEqual(lines)
  })

  it('lead on: to the scripts and recipes that their tasks call', async () => {
    const there = {
      justfile: 'test: build\n  cd lib && npm run unit\nbuild:\n  make lib\n',
      'lib/package.json': packageOf({ unit: 'node evil.mjs' }),
      Makefile: 'lib:\n\tcc evil.c\n',
    }
    expect((await linesIn('just test', there)).slice(1)).toEqual([
      'lib/package.json unit: node evil.mjs',
      'Makefile lib: cc evil.c',
    ])
  })

  it.each(['turbo run test', 'npx nx run a:test', 'npx lerna run test --stream', 'deno task test'])(
    'that run scripts of packages bring those of every package along: %s',
    async (command) => {
      const there = {
        'turbo.json': '{"tasks": {"test": {"dependsOn": ["^build"]}}}',
        'nx.json': '{"targetDefaults": {"test": {"dependsOn": ["^build"]}}}',
        'lerna.json': '{"command": {"test": {"also": "build"}}}',
        'deno.json': '{"tasks": {"test": {"dependencies": ["build"]}}}',
        'packages/a/package.json': packageOf({ test: 'node evil.mjs', build: 'node built.mjs', other: 'x' }),
      }
      expect((await linesIn(command, there)).slice(1)).toEqual([
        'packages/a/package.json test: node evil.mjs',
        'packages/a/package.json build: node built.mjs',
      ])
    },
  )

  it('are left alone where a word only looks like their name, and end where they include each other', async () => {
    expect(await linesIn('node --test', { justfile: 'x' })).toEqual([])
    expect(await linesIn('just', { justfile: "import 'justfile'\nx:\n  just x\n" })).toHaveLength(1)
  })
})
