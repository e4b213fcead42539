import { describe, expect, it } from 'vitest'
import { linesIn, packageOf } from '../../../test/fixtures/script-lines.ts'

const root = {
  pretest: 'node before.mjs',
  test: 'npm run unit && yarn lint',
  posttest: 'node after.mjs',
  unit: 'node --test',
  lint: 'eslint .',
  'check:a': 'node a.mjs',
  'check:b': 'node b.mjs',
  postinstall: 'node install.mjs',
  other: 'node other.mjs',
}
const files = {
  'package.json': packageOf(root),
  'packages/a/package.json': packageOf({ test: 'node --test a' }),
}
const whole = [
  'package.json pretest: node before.mjs',
  'package.json test: npm run unit && yarn lint',
  'package.json posttest: node after.mjs',
  'package.json unit: node --test',
  'package.json lint: eslint .',
]

describe('the script lines of a package', () => {
  it.each([
    ['npm test', whole],
    ['npm t', whole],
    ['CI=1 npm --silent run test -- --watch=false', whole],
    ['node --run test', whole],
    ["sh -c 'npm run unit'", ['package.json unit: node --test']],
    ['pnpm lint', ['package.json lint: eslint .']],
    ['npm ci', ['package.json postinstall: node install.mjs']],
    ['yarn', ['package.json postinstall: node install.mjs']],
    ['run-s check:*', ['package.json check:a: node a.mjs', 'package.json check:b: node b.mjs']],
    ['concurrently npm:unit', ['package.json unit: node --test']],
    ['cd packages/a && npm test', ['packages/a/package.json test: node --test a']],
    ['timeout 60 npm test', whole],
    ['npx --yes dotenv -e .env.test -- npm test', whole],
    ['corepack pnpm@9 lint', ['package.json lint: eslint .']],
    ['xvfb-run -a npx run-s unit', ['package.json unit: node --test']],
    [
      'concurrently "npm run unit" "yarn lint"',
      ['package.json unit: node --test', 'package.json lint: eslint .'],
    ],
    ['npm --prefix packages/a test', ['packages/a/package.json test: node --test a']],
    ['pnpm -r run unit; npm test -w a', [...whole, 'packages/a/package.json test: node --test a']],
    ['node --test', []],
    ['npm run nothing', []],
  ])('of %s', async (command, lines) => {
    expect((await linesIn(command, files)).toSorted()).toEqual(lines.toSorted())
  })

  it.each([
    'cd packages; npm test',
    'cd nowhere || npm test',
    '(cd packages/a); npm test',
    'cd packages/a\nnpm test',
  ])('are those of every folder that the command may be in: %s', async (command) =>
    expect(await linesIn(command, files)).toEqual(expect.arrayContaining(whole)),
  )

  it('are those of the folder alone that was certainly entered', async () => {
    const made = { ...files, Makefile: 'test:\n\tcd packages/a && npm test\n\tnpm run lint\n' }
    expect((await linesIn('make test', made)).slice(1)).toEqual([
      'packages/a/package.json test: node --test a',
      'package.json lint: eslint .',
    ])
  })

  it('are said to be unknown where a command goes through more folders than anybody could follow', async () => {
    const lines = await linesIn(`${'cd a; cd b; '.repeat(30)}npm test`, files)
    expect(lines).toEqual(expect.arrayContaining(whole))
    expect(lines.at(-1)).toContain('not followed: in which of its many folders')
  })

  it('end where scripts call each other in a circle, and are none in a broken file', async () => {
    const circle = packageOf({ a: 'npm run b', b: 'npm run a' })
    expect(await linesIn('npm run a', { 'package.json': circle })).toHaveLength(2)
    expect(await linesIn('npm run a', { 'package.json': '{"scripts": null' })).toEqual([])
    expect(await linesIn('npm run a', { 'package.json': 'null' })).toEqual([])
  })
})

it('shows the settings that choose what runs a script, and none that may hold a key', async () => {
  const npmrc =
    '//registry.example/:_authToken=canary\nscript-shell = ./evil.sh\nnode-options=--require ./x.cjs\n'
  const there = { 'package.json': packageOf({ unit: 'node --test' }), '.npmrc': npmrc }
  expect(await linesIn('npm run unit', there)).toEqual([
    'package.json unit: node --test',
    '.npmrc script-shell: ./evil.sh',
    '.npmrc node-options: --require ./x.cjs',
  ])
})

it('shows what the settings of other package managers load, and none of their keys', async () => {
  const there = {
    'sub/package.json': packageOf({ unit: 'node --test' }),
    '.yarnrc.yml':
      'npmAuthToken: canary\n"yarnPath": .yarn/evil.cjs\nplugins:\n  - path: .yarn/plugin.cjs\n    spec: x\n',
    'sub/.yarnrc.yml': 'yarnPath: a\nyarnPath: b\nnpmAuthToken: canary\n',
    '.pnpmfile.cjs': 'module.exports = {}\n',
    'bunfig.toml': 'token = "canary"\npreload = [\n  "./evil.ts",\n]\n',
    'pnpm-workspace.yaml': 'scriptShell: ./evil.sh\n',
    '.yarn/evil.cjs': 'evil()\n',
  }
  const lines = await linesIn('cd sub && yarn unit', there, { withFiles: true })
  expect(lines.toSorted()).toEqual([
    '.pnpmfile.cjs content: sha256 of 20',
    '.yarn/evil.cjs content: sha256 of 7',
    '.yarnrc.yml plugins: [{"path":".yarn/plugin.cjs","spec":"x"}]',
    '.yarnrc.yml yarnPath: ".yarn/evil.cjs"',
    'bunfig.toml preload: [\n  "./evil.ts",\n]',
    'pnpm-workspace.yaml scriptShell: "./evil.sh"',
    'sub/.yarnrc.yml unreadable: sha256 1b1868982b8c7631',
    'sub/package.json unit: node --test',
  ])
})

it('counts the files that a line names where the command may do more than a check', async () => {
  const there = {
    'package.json': packageOf({ setup: 'sh scripts/install.sh && node --import=./hook.mjs ./run' }),
    'scripts/install.sh': '1',
    'hook.mjs': '22',
    'run.js': '333',
    'other.js': '4444',
  }
  expect((await linesIn('npm run setup', there, { withFiles: true })).toSorted()).toEqual([
    'hook.mjs content: sha256 of 2',
    'package.json setup: sh scripts/install.sh && node --import=./hook.mjs ./run',
    'run.js content: sha256 of 3',
    'scripts/install.sh content: sha256 of 1',
  ])
  expect(await linesIn('npm run setup', there)).toHaveLength(1)
  expect(await linesIn('cd scripts; ./install.sh', there, { withFiles: true })).toEqual([
    'scripts/install.sh content: sha256 of 1',
  ])
})

describe('the recipes of make', () => {
  const Makefile = `NODE := node
include more.mk

all: test
test: build \\
  prepare
\t$(NODE) --test
\t@npm run unit
build:
\t$(MAKE) -C sub lib
other:
\tnode other.mjs
`
  const made = {
    ...files,
    Makefile,
    'last.mk': 'last:\n\tnode last.mjs\n',
    'nested.mk': 'include \\\n between.mk # and more\n',
    'between.mk': 'include last.mk nested.mk\n',
    'more.mk': 'prepare: ; node prepare.mjs\n',
    'sub/Makefile': 'lib:\n\tcc lib.c\n',
  }
  it.each([
    [
      'make test',
      [
        'Makefile test build prepare: $(NODE) --test\n@npm run unit',
        'Makefile all test: ',
        'Makefile build: $(MAKE) -C sub lib',
        'sub/Makefile lib: cc lib.c',
        'Makefile prepare: node prepare.mjs',
        'Makefile settings: NODE := node\ninclude more.mk',
        'package.json unit: node --test',
      ],
    ],
    ['make -C nowhere test', []],
    ['make -Csub lib', ['sub/Makefile lib: cc lib.c']],
    ['make -sC sub -j2 lib', ['sub/Makefile lib: cc lib.c']],
    ['make -fmore.mk prepare', ['more.mk prepare: node prepare.mjs']],
    ['make --makefile=more.mk prepare', ['more.mk prepare: node prepare.mjs']],
    [
      'make -f more.mk -f last.mk last',
      ['more.mk last.mk last: node last.mjs', 'more.mk last.mk prepare: node prepare.mjs'],
    ],
    [
      'make -f nested.mk last',
      [
        'nested.mk last: node last.mjs',
        'nested.mk settings: include   between.mk # and more\ninclude last.mk nested.mk',
      ],
    ],
  ])('of %s', async (command, lines) => {
    expect((await linesIn(command, made)).toSorted()).toEqual(lines.toSorted())
  })

  it.each([
    ['a name with stars', 'include mk/*.mk\ntest: a\n'],
    ['a variable', 'DIR := mk\nFILES = $(wildcard $(DIR)/?.mk)\ninclude $(FILES)\ntest: a\n'],
    ['a need that is a variable', 'include mk/a.mk\nDEPS = a\nother: a\ntest: $(DEPS)\n'],
    ['a rule for a file that is included', '-include gen.mk\ntest:\n\ttrue\ngen.mk:\n\tnode evil.mjs\n'],
    ['a definition', 'test:\n\t$(run)\nother:\n\ttrue\ndefine run\n\tnode evil.mjs\nendef\n'],
    ['another mark of recipes', '.RECIPEPREFIX = >\ntest:\n>$(X)\n>node evil.mjs: x\n'],
    ['another first target', '.DEFAULT_GOAL := b\na:\n\ttrue\nb:\n\tnode evil.mjs\n'],
    ['a condition', 'test:\n\ttrue\nother:\n\ttrue\nifeq (a:,b:)\n  test: c\n\tnode evil.mjs\nendif\n'],
    ['a line before every rule', '\tX := $(shell node evil.mjs)\ntest:\n\ttrue\n'],
    ['a need that is run while it is read', 'test:\n\ttrue\nother: $(shell node evil.mjs)\n'],
    ['a rule for a kind of files', 'test: x.o\n.c.o:\n\tnode evil.mjs\n'],
  ])('are found behind %s', async (_, text) => {
    const there = { Makefile: text, 'mk/a.mk': 'a:\n\tnode evil.mjs\n' }
    expect((await linesIn('make test', there)).join('\n')).toContain('node evil.mjs')
    expect((await linesIn('make', there)).join('\n')).toContain('node evil.mjs')
  })

  it('are said to be unknown where nobody can tell which files are included', async () => {
    const bomb = Array.from({ length: 30 }, (_, index) => `A${index + 1} = $(A${index})$(A${index})`)
    const Makefile = `A0 = x\n${bomb.join('\n')}\ninclude $(shell ls)\ninclude $(A30)\ntest:\n\ttrue\n`
    const lines = await linesIn('make test', { Makefile })
    expect(lines.filter((line) => line.includes('cannot be told'))).toEqual([
      '$(shell ls) not followed: what it includes cannot be told',
      '$(A30) not followed: what it includes cannot be told',
    ])
  })

  it('do not show what an included file holds that is in no commit', async () => {
    const lines = await linesIn('make test', {
      Makefile: 'include .env\ntest:\n\ttrue\n',
      '.env': 'KEY=canary\n',
    })
    expect(lines.join()).not.toContain('canary')
    expect(lines).toContain('.env not shown, git does not know it: sha256 of 11')
  })
})
