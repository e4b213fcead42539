import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ruleLevel } from '../../model/config/settings.ts'
import { composeConfig } from '../config/compose-config.ts'
import { isRuleList } from '../config/load-config.ts'
import { formatConfigFile, proposeConfig, type ConfigProposal } from './propose-config.ts'
import { loadDetected, runsOf, writeFiles, type Files } from '../../../test/fixtures/detected.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fixpoint-detect-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

const detect = async (files: Files): Promise<ConfigProposal> => {
  await writeFiles(root, files)
  return proposeConfig(root, {})
}

const dependencies = { left: '1.0.0' }
const test1 = { scripts: { test: 'vitest run' } }

describe('commands', () => {
  test.each<[string, Files, Readonly<Record<string, string>>]>([
    [
      'npm scripts',
      { 'package.json': { scripts: { test: 'x', lint: 'eslint .', 'type-check': 'tsc', build: 'y' } } },
      { test: 'npm test', typecheck: 'npm run type-check', lint: 'npm run lint', build: 'npm run build' },
    ],
    [
      'the stub of npm init',
      { 'package.json': { scripts: { test: 'echo "Error: no test specified" && exit 1' } } },
      {},
    ],
    ['pnpm by its lock file', { 'package.json': test1, 'pnpm-lock.yaml': '' }, { test: 'pnpm test' }],
    ['yarn by its lock file', { 'package.json': test1, 'yarn.lock': '' }, { test: 'yarn test' }],
    ['bun by its lock file', { 'package.json': test1, 'bun.lock': '' }, { test: 'bun run test' }],
    [
      "the package's own word",
      { 'package.json': { ...test1, packageManager: 'pnpm@9.1.0' } },
      { test: 'pnpm test' },
    ],
    [
      'node --test without a script',
      { 'test/a.test.mjs': "import test from 'node:test'\n" },
      { test: 'node --test' },
    ],
    [
      'a script that watches or changes files',
      { 'package.json': { scripts: { test: 'jest --watch', lint: 'eslint --fix .' } } },
      {},
    ],
    [
      'tests without the linter and the type check that their script runs too',
      {
        'package.json': {
          scripts: {
            test: 'npm run lint && npm run unit && npm run type',
            lint: 'xo',
            unit: 'c8 ava',
            type: 'tsd && tsc',
          },
        },
      },
      { test: 'npm run unit', typecheck: 'npm run type', lint: 'npm run lint' },
    ],
    [
      'a test script that starts a linter and a compiler before the test runner',
      { 'package.json': { scripts: { test: 'eslint . && tsc --noEmit && jest --coverage' } } },
      { test: 'npx --no-install jest --coverage' },
    ],
    [
      'a test runner with variables of its own, without the linter and the type check before it',
      {
        'package.json': {
          scripts: { test: "xo && tsc --noEmit && NODE_OPTIONS='--import=tsx/esm' ava" },
        },
      },
      { test: "NODE_OPTIONS='--import=tsx/esm' npx --no-install ava" },
    ],
    [
      'tests without what stands before and after them, unless it builds',
      {
        'package.json': {
          scripts: {
            pretest: 'npm run --silent lint && npm run compile',
            test: 'npm run tests-only',
            posttest: "npx npm@'>=10.2' audit --production",
            'tests-only': 'nyc tape test',
            compile: 'babel src',
            lint: 'eslint .',
          },
        },
      },
      { test: 'npm run compile && npm run tests-only', lint: 'npm run lint' },
    ],
    [
      'tests whose script names the runner, without the linter before them',
      { 'package.json': { scripts: { pretest: 'eslint .', test: 'mocha' } } },
      { test: 'npm test --ignore-scripts' },
    ],
    [
      'tests that a build stands before',
      { 'package.json': { scripts: { pretest: 'npm run compile', test: 'mocha', compile: 'tsc -b' } } },
      { test: 'npm test' },
    ],
    [
      'a type check of another name',
      { 'package.json': { scripts: { 'types:check': 'tsc' } } },
      { typecheck: 'npm run types:check' },
    ],
    [
      'react-scripts, which would watch',
      { 'package.json': { scripts: { test: 'react-scripts test' } } },
      { test: 'CI=true npm test' },
    ],
    [
      'tests of the packages',
      { 'package.json': { workspaces: ['packages/*'] }, 'packages/a/package.json': test1 },
      { test: 'npm run test --workspaces --if-present' },
    ],
    [
      'pnpm packages',
      {
        'package.json': {},
        'pnpm-lock.yaml': '',
        'pnpm-workspace.yaml': 'packages: ["apps/**"]',
        'apps/x/y/package.json': test1,
      },
      { test: 'pnpm -r run test' },
    ],
    [
      'modern yarn packages',
      {
        'package.json': { workspaces: { packages: ['a'] } },
        'yarn.lock': '',
        '.yarnrc.yml': '',
        'a/package.json': test1,
      },
      { test: 'yarn workspaces foreach --all run test' },
    ],
    [
      'pytest, ruff and mypy of pyproject',
      { 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n' },
      { test: 'python3 -m pytest', lint: 'ruff check .', typecheck: 'python3 -m mypy .' },
    ],
    [
      'pytest among requirements',
      { 'requirements.txt': 'flask\npytest==8\n' },
      { test: '.venv/bin/python -m pytest' },
    ],
    [
      'a plugin of pytest alone',
      { 'requirements.txt': 'pytest-cov\n', 'tox.ini': '[tox]\n' },
      { test: 'tox' },
    ],
    [
      'unittest',
      { 'setup.py': '', 'tests/test_a.py': '' },
      { test: 'python3 -m unittest discover -s tests' },
    ],
    [
      'uv',
      { 'pyproject.toml': '[tool.pytest.ini_options]', 'uv.lock': '' },
      { test: 'uv run --frozen python -m pytest' },
    ],
    ['go', { 'go.mod': 'module x' }, { test: 'go test ./...', vet: 'go vet ./...' }],
    ['cargo', { 'Cargo.toml': '' }, { test: 'cargo test' }],
    ['maven', { 'pom.xml': '' }, { test: 'mvn -B test' }],
    ['gradle with its wrapper', { 'build.gradle.kts': '', gradlew: '' }, { test: './gradlew test' }],
    ['make', { Makefile: 'all:\n\ntest: all\n\ttrue\n' }, { test: 'make test' }],
    [
      'two toolchains',
      { 'package.json': test1, 'go.mod': '' },
      { test: 'npm test', 'test-2': 'go test ./...', vet: 'go vet ./...' },
    ],
    [
      'two toolchains with linters',
      {
        'package.json': '{ "devDependencies": { "eslint": "9.0.0" } }',
        'eslint.config.js': '',
        'requirements.txt': '',
        '.flake8': '',
      },
      { lint: 'npx --no-install eslint .', flake8: '.venv/bin/python -m flake8' },
    ],
    [
      'projects below a root that is none',
      { 'api/go.mod': '', 'we b/package.json': test1 },
      {
        'api-test': 'cd api && go test ./...',
        'api-vet': 'cd api && go vet ./...',
        'we b-test': "cd 'we b' && npm test",
      },
    ],
    ['nothing', { 'README.md': '# x' }, {}],
  ])('%s', async (_, files, runs) => {
    const proposal = await detect(files)
    expect(runsOf(proposal)).toEqual(runs)
    expect(loadDetected(proposal).verify.commands.map(({ name, run }) => [name, run])).toEqual(
      Object.entries(runs),
    )
  })

  test('say why, and what was left out', async () => {
    const proposal = await detect({
      'package.json': { scripts: { test: 'vitest run', lint: 'eslint --fix .' } },
    })
    expect(proposal.commands).toEqual([
      { name: 'test', run: 'npm test', paths: [], why: 'script "test" of package.json: vitest run' },
    ])
    expect(proposal.notes).toEqual([
      'script "lint" of package.json was left out: it changes files (--fix or --write)',
    ])
  })

  test('of a folder run for patches that touch it', async () => {
    const proposal = await detect({ 'api/Cargo.toml': '' })
    expect(loadDetected(proposal).verify.commands).toEqual([
      { name: 'api-test', run: 'cd api && cargo test', timeout_ms: 300_000, paths: ['api/**'] },
    ])
  })
})

describe("the project's own linter", () => {
  test.each<[string, Files, string, readonly string[]]>([
    [
      'a script',
      { 'package.json': { scripts: { lint: 'eslint src test && npm run lint:css' } }, 'pnpm-lock.yaml': '' },
      'pnpm exec eslint src test --format json',
      ['eslint/no-debugger'],
    ],
    [
      'a tool without a script',
      { 'package.json': { devDependencies: { oxlint: '1' } }, '.oxlintrc.json': '{}' },
      'npx --no-install oxlint --format json',
      ['eslint/no-debugger'],
    ],
    [
      'Python',
      { 'pyproject.toml': '[tool.ruff]\n', 'uv.lock': '' },
      'uv run --frozen python -m ruff check . --output-format json',
      ['ruff/F401', 'py/bare-except'],
    ],
    [
      'a language without rules',
      { 'Cargo.toml': '', '.github/workflows/ci.yml': 'run: cargo clippy' },
      'cargo clippy --all-targets --message-format=json',
      [],
    ],
  ])('is offered as a scanner, with the rules that it doubles off: %s', async (_, files, run, off) => {
    const proposal = await detect(files)
    expect(loadDetected(proposal).review.scanners).toEqual([])
    const offered = formatConfigFile(proposal).replaceAll(
      /^# (review:|  (scanners|rules):.*|    - .*)$/gm,
      '$1',
    )
    const { review } = composeConfig({
      repository: { name: 'f', text: offered },
      user: null,
      env: {},
      flags: [],
    }).config
    expect(review.scanners.map((scanner) => scanner.run)).toEqual([run])
    const { rules } = review
    expect(off.map((id) => isRuleList(rules) || ruleLevel(rules, id))).toEqual(off.map(() => 'off'))
  })
})

describe('what git ignores', () => {
  test('is shared when it is there', async () => {
    const proposal = await detect({
      'package.json': { dependencies, workspaces: ['packages/*'] },
      'packages/a/package.json': {},
      '.gitignore': '# x\nnode_modules/\n',
      'node_modules/left/package.json': {},
      'packages/a/node_modules/': '',
    })
    expect(loadDetected(proposal).workspace).toMatchObject({
      setup: null,
      share: ['node_modules', 'packages/a/node_modules'],
    })
  })

  test('is installed when it is not', async () => {
    const proposal = await detect({
      'package.json': { dependencies },
      'package-lock.json': {},
      '.gitignore': 'node_modules',
    })
    expect(proposal.setup).toEqual({
      value: 'npm ci',
      why: 'package-lock.json, and node_modules is not here to share',
    })
    expect(loadDetected(proposal).workspace).toMatchObject({ setup: 'npm ci', share: [] })
  })

  test('is nothing when there are no dependencies', async () => {
    const { setup, share } = await detect({ 'package.json': {}, 'package-lock.json': {} })
    expect({ setup, share }).toEqual({ setup: null, share: [] })
  })

  test('may be a virtual environment', async () => {
    const proposal = await detect({ 'pytest.ini': '', '.venv/': '', '.gitignore': '/.venv\n' })
    expect(loadDetected(proposal).workspace.share).toEqual(['.venv'])
    expect(runsOf(proposal)).toEqual({ test: '.venv/bin/python -m pytest' })
  })

  test('is not guessed for a folder that git does not ignore', async () => {
    const { share } = await detect({
      'package.json': { dependencies },
      'node_modules/': '',
      '.gitignore': 'dist\n',
    })
    expect(share).toEqual([])
  })
})

test('scripts in a folder called static are front end where another language serves them', async () => {
  const files = { 'data/static/a.ts': '', 'lib/b.ts': '', 'lib/c.ts': '', 'test/decrypt.py': '' }
  expect((await detect(files)).classes.FE).toEqual([])
  expect((await detect({ 'a.py': '', 'b.py': '', 'c.py': '' })).classes.FE).toEqual([
    { value: 'data/static/**', why: 'a server hands out data/static/a.ts' },
  ])
})

test('languages, the most used first, however deep', async () => {
  const { languages } = await detect({
    'a.ts': '',
    'src/main/java/com/google/gson/internal/bind/b.tsx': '',
    'c.py': '',
    'node_modules/x.js': '',
    'README.md': '',
  })
  expect(languages).toEqual([
    { value: 'TypeScript', why: '2 files such as a.ts' },
    { value: 'Python', why: 'c.py' },
  ])
})

test('the proposal classes by dependencies first, then by the name of a folder', async () => {
  const proposal = await detect({
    'package.json': { workspaces: ['apps/*'] },
    'apps/shop/package.json': { dependencies: { react: '19' } },
    'apps/api/package.json': {},
    'server/main.py': '',
    'web/package.json': { dependencies: { express: '5' } },
    'docs/x.md': '',
  })
  expect(loadDetected(proposal).classes).toEqual({
    BE: ['apps/api/**', 'web/**', 'server/**'],
    FE: ['apps/shop/**'],
    GEN: [],
  })
})

test('agents are found on the PATH without being started, and never in the checkout', async () => {
  await mkdir(join(root, 'bin'))
  for (const name of ['claude', 'codex', 'gemini'])
    await writeFile(join(root, 'bin', name), '#!/bin/sh\ntouch "$0.ran"\n')
  await chmod(join(root, 'bin', 'claude'), 0o755)
  await chmod(join(root, 'bin', 'codex'), 0o755)
  const { agents } = await proposeConfig(root, {
    PATH: `bin:.::${join(root, 'missing')}:${join(root, 'bin')}`,
  })
  expect(agents).toEqual([
    { value: 'claude', why: join(root, 'bin', 'claude') },
    { value: 'codex', why: join(root, 'bin', 'codex') },
  ])
})

describe('a hostile or broken checkout', () => {
  test('a package.json that is not JSON is named', async () => {
    const proposal = await detect({ 'package.json': '{', 'Cargo.toml': '' })
    expect(proposal.notes).toEqual(['package.json cannot be read as JSON and was left out'])
    expect(runsOf(proposal)).toEqual({ test: 'cargo test' })
  })

  test.each<[object | string]>([
    ['[]'],
    ['null'],
    [{ scripts: { test: 7 }, workspaces: 'x', dependencies: [] }],
  ])('a package.json of another shape is no obstacle: %j', async (content) => {
    expect(runsOf(await detect({ 'package.json': content }))).toEqual({})
  })

  test('links are not followed', async () => {
    await symlink('/dev/zero', join(root, 'package.json'))
    await symlink('.', join(root, 'loop'))
    expect(runsOf(await detect({ 'Cargo.toml': '' }))).toEqual({ test: 'cargo test' })
  })

  test('text from the repository cannot leave its comment or its value', async () => {
    const evil = 'x\nsandbox: off\u2028verify:\r\n  # "\'{}[]&*'
    const proposal: ConfigProposal = {
      languages: [{ value: evil, why: evil }],
      packageManager: null,
      workspaces: [{ value: evil, why: evil }],
      commands: [{ name: evil, run: `# ${evil}`, paths: ['a"b/**'], why: evil }],
      scanners: [{ name: evil, run: evil, doubles: [evil], why: evil }],
      setup: { value: evil, why: evil },
      share: [{ value: '- a: b #c', why: evil }],
      classes: { BE: [{ value: '*.x', why: evil }], FE: [{ value: '!y', why: evil }] },
      agents: [{ value: 'claude', why: evil }],
      notes: [evil],
    }
    const config = loadDetected(proposal)
    expect(config.verify.commands.map(({ name, run, paths }) => ({ name, run, paths }))).toEqual([
      { name: evil, run: `# ${evil}`, paths: ['a"b/**'] },
    ])
    expect(config.workspace).toMatchObject({ setup: evil, share: ['- a: b #c'] })
    expect(config.classes).toEqual({ BE: ['*.x'], FE: ['!y'], GEN: [] })
  })
})

describe('the file', () => {
  test('says what it means that nothing was found, and how to go on', async () => {
    const text = formatConfigFile(await detect({}))
    expect(text).toContain('verify:\n  commands: []\n')
    expect(text).toContain('so nothing lands.')
    expect(text).toContain('set land.min_evidence to E0')
  })

  test('holds guesses only, and its commented defaults are the defaults', async () => {
    const text = formatConfigFile(await detect({ 'go.mod': '' }))
    const uncommented = text.replaceAll(/^# ((agents|fix|challenge|land):|  \w+:.*)$/gm, '$1')
    const withDefaults = composeConfig({
      repository: { name: 'f', text: uncommented },
      user: null,
      env: {},
      flags: [],
    })
    const without = composeConfig({ repository: { name: 'f', text }, user: null, env: {}, flags: [] })
    expect(withDefaults.sources.get('land.min_evidence')?.source).toBe('repository')
    expect(without.sources.get('land.min_evidence')?.source).toBe('default')
    expect(withDefaults.config).toEqual(without.config)
  })
})
