import { describe, expect, it } from 'vitest'
import { scriptLines } from './scripts.ts'

const linesIn = async (
  command: string,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  const source = {
    read: async (path: string) => files[path] ?? null,
    packages: async () => Object.keys(files).filter((path) => path.endsWith('package.json')),
  }
  const lines = await scriptLines(command, source)
  return lines.map(({ file, name, line }) => `${file} ${name}: ${line}`)
}
const packageOf = (scripts: Readonly<Record<string, string>>): string => JSON.stringify({ scripts })

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
    ['npm --prefix packages/a test', ['packages/a/package.json test: node --test a']],
    ['pnpm -r run unit; npm test -w a', [...whole, 'packages/a/package.json test: node --test a']],
    ['node --test', []],
    ['npm run nothing', []],
  ])('of %s', async (command, lines) => {
    expect((await linesIn(command, files)).toSorted()).toEqual(lines.toSorted())
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
})
