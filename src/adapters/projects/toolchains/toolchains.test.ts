import { describe, expect, test } from 'vitest'
import { detectFiles, loadDetected, runsOf, type Files } from '../../../../test/fixtures/detected.ts'

interface Expected {
  readonly commands: Readonly<Record<string, string>>
  readonly setup?: string
  readonly packages?: readonly string[]
  readonly notes?: readonly (string | RegExp)[]
}

type Row = readonly [name: string, files: Files, expected: Expected]

const vitest = { devDependencies: { vitest: '4' } }
const tested = { scripts: { test: 'vitest run' } }

const javascript: readonly Row[] = [
  [
    'tools without scripts',
    {
      'package.json': { devDependencies: { vitest: '4', typescript: '5', eslint: '9' } },
      'pnpm-lock.yaml': '',
      'tsconfig.json': '{}',
      'eslint.config.js': '',
      'src/a.test.ts': '',
    },
    {
      commands: {
        test: 'pnpm exec vitest run',
        typecheck: 'pnpm exec tsc --noEmit',
        lint: 'pnpm exec eslint .',
      },
      setup: 'pnpm install --frozen-lockfile',
    },
  ],
  ['a test tool without tests', { 'package.json': vitest }, { commands: {}, setup: 'npm install' }],
  [
    'a build that checks types already',
    {
      'package.json': { scripts: { build: 'tsc -p .' }, devDependencies: { typescript: '5' } },
      'tsconfig.json': '{}',
    },
    { commands: { build: 'npm run build' }, setup: 'npm install' },
  ],
  [
    'the second best script when the first is not fit',
    { 'package.json': { scripts: { test: 'jest --watch', 'test:ci': 'jest --ci', lint: 'eslint . --fix' } } },
    { commands: { test: 'npm run test:ci' }, notes: [/"test" of package.json .*watch/, /"lint" .*--fix/] },
  ],
  [
    'ng test, which never ends',
    { 'package.json': { scripts: { test: 'ng test' } } },
    { commands: {}, notes: [/keeps running/] },
  ],
  [
    "the package's word over a leftover lock file",
    { 'package.json': { ...tested, packageManager: 'yarn@4.1.0' }, 'package-lock.json': {}, 'yarn.lock': '' },
    {
      commands: { test: 'yarn test' },
      notes: ['package-lock.json is there too, and was taken for a leftover'],
    },
  ],
]

const spread = {
  'package.json': { workspaces: ['packages/*', '!packages/old'] },
  'packages/a/package.json': { scripts: { test: 'x', lint: 'y' } },
  'packages/b/package.json': { scripts: { lint: 'z' } },
  'packages/old/package.json': tested,
}
const members = ['packages/a', 'packages/b']

const monorepos: readonly Row[] = [
  [
    'npm workspaces',
    { ...spread, 'package-lock.json': {} },
    {
      commands: {
        test: 'npm run test --workspaces --if-present',
        lint: 'npm run lint --workspaces --if-present',
      },
      setup: 'npm ci',
      packages: members,
    },
  ],
  [
    'turbo',
    { ...spread, 'pnpm-lock.yaml': '', 'turbo.json': {} },
    {
      commands: { test: 'pnpm exec turbo run test', lint: 'pnpm exec turbo run lint' },
      setup: 'pnpm install --frozen-lockfile',
      packages: members,
    },
  ],
  [
    'nx, with targets in project.json',
    {
      'package.json': { devDependencies: { nx: '21' } },
      'nx.json': {},
      'apps/x/project.json': { targets: { test: {} } },
    },
    { commands: { test: 'npx --no-install nx run-many -t test' }, setup: 'npm install' },
  ],
  [
    'yarn 1, where not every package has tests',
    { ...spread, 'yarn.lock': '' },
    {
      commands: { test: 'yarn --cwd packages/a run test', lint: 'yarn workspaces run lint' },
      setup: 'yarn install --frozen-lockfile',
      packages: members,
    },
  ],
  [
    'lerna',
    { 'package.json': {}, 'lerna.json': { packages: ['modules/*'] }, 'modules/m/package.json': tested },
    {
      commands: { test: 'npm run test --workspaces --if-present' },
      setup: 'npm install',
      packages: ['modules/m'],
    },
  ],
  [
    'a workspace of crates',
    {
      'Cargo.toml': '[workspace]\nmembers = [\n  "crates/*",\n  "cli",\n]\n\n[workspace.lints.clippy]\n',
      'crates/a/Cargo.toml': '',
      'cli/Cargo.toml': '',
      'fuzz/Cargo.toml': '',
    },
    {
      commands: { test: 'cargo test --workspace', lint: 'cargo clippy --workspace --all-targets' },
      packages: ['cli', 'crates/a'],
    },
  ],
  [
    'go.work',
    {
      'go.work': 'go 1.24\n\nuse (\n\t./api // the server\n\t./lib\n\t../outside\n)\nuse .\n',
      'api/go.mod': '',
      'lib/go.mod': '',
    },
    {
      commands: { test: 'go test ./api/... ./lib/... ./...', vet: 'go vet ./api/... ./lib/... ./...' },
      packages: ['api', 'lib'],
    },
  ],
  [
    'maven modules',
    {
      'pom.xml':
        '<project><modules><module>core</module><!-- <module>gone</module> --><module>../x</module></modules></project>',
      mvnw: '',
      'core/pom.xml': '',
    },
    { commands: { test: './mvnw -B test' }, packages: ['core'] },
  ],
  [
    'gradle projects',
    {
      'settings.gradle.kts': 'rootProject.name = "x"\ninclude(":app", "libs:core")\n',
      gradlew: '',
      'app/build.gradle.kts': '',
      'libs/core/build.gradle.kts': '',
    },
    { commands: { test: './gradlew test' }, packages: ['app', 'libs/core'] },
  ],
  [
    'members of a uv workspace',
    {
      'pyproject.toml':
        '[tool.uv.workspace]\nmembers = ["packages/*"]\n\n[dependency-groups]\ndev = ["pytest>=8"]\n',
      'uv.lock': '',
      'packages/a/pyproject.toml': '',
    },
    {
      commands: { test: 'uv run --frozen python -m pytest' },
      setup: 'uv sync --frozen',
      packages: ['packages/a'],
    },
  ],
]

const python: readonly Row[] = [
  [
    'mypy, which has its own list of what it checks',
    {
      'pyproject.toml': '[tool.mypy]\nstrict = true\nfiles = [\n  "src",\n]\n\n[tool.other]\nfiles = 1\n',
      'uv.lock': '',
    },
    { commands: { typecheck: 'uv run --frozen python -m mypy' }, setup: 'uv sync --frozen' },
  ],
  [
    'mypy beside another tool that has a list of files',
    { 'pyproject.toml': '[tool.mypy]\nstrict = true\n[tool.other]\nfiles = 1\n', 'uv.lock': '' },
    { commands: { typecheck: 'uv run --frozen python -m mypy .' }, setup: 'uv sync --frozen' },
  ],
  [
    'groups of uv that hold the tools and are not installed by default',
    {
      'pyproject.toml':
        '[project.optional-dependencies]\ntyping = ["mypy>=1"]\n\n[dependency-groups]\ndev = [\n  "tox",\n]\ntests = [\n  "pytest",\n]\n\n[tool.mypy]\n',
      'uv.lock': '',
      'tests/conftest.py': '',
    },
    {
      commands: {
        test: 'uv run --frozen --group tests --extra typing python -m pytest',
        typecheck: 'uv run --frozen --group tests --extra typing python -m mypy .',
      },
      setup: 'uv sync --frozen --group tests --extra typing',
    },
  ],
  [
    'groups of uv that the project installs by default',
    {
      'pyproject.toml':
        '[dependency-groups]\ntests = ["pytest"]\n\n[tool.uv]\ndefault-groups = ["dev", "tests"]\n',
      'uv.lock': '',
    },
    { commands: { test: 'uv run --frozen python -m pytest' }, setup: 'uv sync --frozen' },
  ],
  [
    'poetry with a src layout: the code of the workspace comes first',
    {
      'pyproject.toml': '[tool.poetry]\n[tool.pytest.ini_options]\n',
      'poetry.lock': '',
      'src/x/__init__.py': '',
    },
    {
      commands: { test: 'PYTHONPATH=src poetry run python -m pytest' },
      setup: 'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction',
    },
  ],
  [
    'pip requirements',
    { 'requirements.txt': 'flask\n', 'requirements-dev.txt': 'pytest\n', '.flake8': '', 'mypy.ini': '' },
    {
      commands: {
        test: '.venv/bin/python -m pytest',
        lint: '.venv/bin/python -m flake8',
        typecheck: '.venv/bin/python -m mypy .',
      },
      setup:
        'python3 -m venv .venv && .venv/bin/python -m pip install --quiet -r requirements.txt -r requirements-dev.txt',
    },
  ],
  [
    'pipenv',
    { Pipfile: '[dev-packages]\npytest = "*"\n', 'Pipfile.lock': '{}' },
    {
      commands: { test: 'pipenv run python -m pytest' },
      setup: 'PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev',
    },
  ],
  [
    'django without pytest',
    { 'requirements.txt': 'django\n', 'manage.py': 'import django\n' },
    {
      commands: { test: '.venv/bin/python manage.py test' },
      setup: 'python3 -m venv .venv && .venv/bin/python -m pip install --quiet -r requirements.txt',
    },
  ],
  [
    'dependencies without a lock file',
    { 'pyproject.toml': '[project]\ndependencies = ["httpx"]\n[tool.pytest.ini_options]\n[tool.pyright]\n' },
    {
      commands: { test: 'python3 -m pytest', typecheck: 'pyright' },
      notes: [/must be installed for python3/],
    },
  ],
]

const others: readonly Row[] = [
  [
    'golangci-lint by its configuration',
    { 'go.mod': '', '.golangci.yml': '' },
    { commands: { test: 'go test ./...', vet: 'go vet ./...', lint: 'golangci-lint run ./...' } },
  ],
  [
    'clippy by what CI runs',
    { 'Cargo.toml': '[package]\n', '.github/workflows/ci.yml': 'run: cargo clippy\n' },
    { commands: { test: 'cargo test', lint: 'cargo clippy --all-targets' } },
  ],
  [
    'checkstyle of maven',
    { 'pom.xml': '<plugin><artifactId>maven-checkstyle-plugin</artifactId></plugin>' },
    { commands: { test: 'mvn -B test', lint: 'mvn -B checkstyle:check' } },
  ],
  [
    'checkstyle of gradle',
    { 'build.gradle': "plugins {\n  id 'java'\n  id 'checkstyle'\n}\n", gradlew: '' },
    { commands: { test: './gradlew test', lint: './gradlew checkstyleMain' } },
  ],
]

const mixed: readonly Row[] = [
  [
    'a front end beside the back end at the root',
    {
      'go.mod': '',
      'frontend/package.json': { ...tested, dependencies: { react: '19' } },
      'frontend/package-lock.json': {},
      'examples/x/package.json': tested,
    },
    {
      commands: {
        test: 'go test ./...',
        vet: 'go vet ./...',
        'frontend-test': 'cd frontend && npm test',
      },
      setup: 'cd frontend && npm ci',
    },
  ],
  [
    'services two folders down, each with its own tools',
    {
      'services/api/go.mod': '',
      'services/shop/package.json': tested,
      'services/shop/yarn.lock': '',
      'services/jobs/requirements.txt': 'pytest\n',
    },
    {
      commands: {
        'services-api-test': 'cd services/api && go test ./...',
        'services-api-vet': 'cd services/api && go vet ./...',
        'services-jobs-test': 'cd services/jobs && .venv/bin/python -m pytest',
        'services-shop-test': 'cd services/shop && yarn test',
      },
      setup:
        'cd services/jobs && python3 -m venv .venv && .venv/bin/python -m pip install --quiet -r requirements.txt',
    },
  ],
  [
    'a package that the root does not cover has its own lock file',
    {
      'package.json': tested,
      'client/package.json': tested,
      'client/package-lock.json': {},
      'plain/package.json': tested,
    },
    { commands: { test: 'npm test', 'client-test': 'cd client && npm test' } },
  ],
]

const lastResorts: readonly Row[] = [
  [
    'a gem with specs and a style',
    { Gemfile: '', '.rspec': '', '.rubocop.yml': '', Rakefile: 'task default: :spec\n' },
    { commands: { test: 'bundle exec rspec', lint: 'bundle exec rubocop' }, setup: 'bundle install' },
  ],
  [
    'a gem whose tests are a task of Rake',
    { Gemfile: '', Rakefile: "require 'minitest/test_task'\nMinitest::TestTask.create\n" },
    { commands: { test: 'bundle exec rake test' }, setup: 'bundle install' },
  ],
  [
    'a Rails application',
    { Gemfile: '', 'bin/rails': '', 'test/models/user_test.rb': '' },
    { commands: { test: 'bin/rails test' }, setup: 'bundle install' },
  ],
  [
    'the scripts of Composer',
    { 'composer.json': { scripts: { test: 'phpunit' }, 'require-dev': { 'phpstan/phpstan': '^2' } } },
    {
      commands: { test: 'composer run test', phpstan: 'vendor/bin/phpstan analyse' },
      setup: 'composer install --no-interaction',
    },
  ],
  [
    'PHPUnit that make starts with what it needs',
    {
      'composer.json': {},
      'phpunit.xml': '',
      Makefile: 'test: start\n\tvendor/bin/phpunit\n\t$(MAKE) stop\n',
    },
    { commands: { test: 'make test' }, setup: 'composer install --no-interaction' },
  ],
  [
    'a player that is only published for Composer',
    { 'composer.json': { name: 'videojs/video.js', type: 'library' } },
    { commands: {} },
  ],
  [
    'PHPUnit alone',
    { 'composer.json': 'broken', 'phpunit.xml.dist': '' },
    { commands: { test: 'vendor/bin/phpunit' }, setup: 'composer install --no-interaction' },
  ],
  [
    'a Makefile that checks',
    { Makefile: 'check: all\n\t./run\n', 'a.c': '' },
    { commands: { test: 'make check' } },
  ],
  [
    'a Makefile that hands its targets down, beside tools without checks',
    {
      Makefile: 'default: all\n.DEFAULT:\n\t$(MAKE) -C src $@\n',
      'src/Makefile': 'test: server\n\t./runtest\n',
      'utils/validator/requirements.txt': 'jsonschema\n',
    },
    { commands: { test: 'make test' } },
  ],
  [
    'a Makefile below',
    { 'src/Makefile': 'test:\n\t./runtest\n' },
    { commands: { test: 'make -C src test' } },
  ],
  [
    'tests of CMake',
    { 'CMakeLists.txt': 'project(a)\ninclude(CTest)\n', 'a.c': '' },
    {
      commands: {
        test: 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure',
      },
    },
  ],
]

describe.each([
  ['JavaScript and TypeScript', javascript],
  ['monorepos', monorepos],
  ['Python', python],
  ['Go, Rust and Java', others],
  ['Ruby, PHP and C', lastResorts],
  ['several projects', mixed],
])('%s', (_, rows) => {
  test.each(rows)('%s', async (_name, files, { commands, setup, packages, notes }) => {
    const detection = await detectFiles(files)
    expect(runsOf(detection)).toEqual(commands)
    expect(detection.setup?.value).toBe(setup)
    expect(detection.workspaces.map(({ value }) => value)).toEqual(packages ?? [])
    expect(detection.notes).toEqual((notes ?? []).map((note) => expect.stringMatching(note)))
    const config = loadDetected(detection)
    expect(config.verify.commands.map(({ name, run }) => [name, run])).toEqual(Object.entries(commands))
    expect(config.workspace.setup ?? undefined).toBe(setup)
  })
})

describe('classes', () => {
  test('a folder called web is no front end when a server is in it', async () => {
    const { classes } = await detectFiles({ 'go.mod': '', 'web/handler.go': '', 'ui/app.ts': '' })
    expect(classes.FE.map(({ value }) => value)).toEqual(['ui/**'])
  })

  test('scripts that a server hands out are front end', async () => {
    const { classes } = await detectFiles({
      'pom.xml': '',
      'src/main/java/A.java': '',
      'src/main/resources/static/js/app.js': '',
      'backend/main.py': '',
      'backend/app/static/page.js': '',
    })
    expect(classes.BE).toEqual([])
    expect(classes.FE).toEqual([
      { value: 'backend/app/static/**', why: 'a server hands out backend/app/static/page.js' },
      {
        value: 'src/main/resources/static/**',
        why: 'a server hands out src/main/resources/static/js/app.js',
      },
    ])
  })
})
