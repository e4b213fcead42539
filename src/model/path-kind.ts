/** What a path is, by its name alone; everything but `source`, `test` and `snapshot` is protected. */
export type PathKind =
  | 'source'
  | 'test'
  | 'snapshot'
  | 'config'
  | 'manifest'
  | 'ci'
  | 'lockfile'
  | 'agent'
  | 'fixpoint'
  | 'environment'
  | 'git'

const agentFolders = new Set(['.claude', '.gemini', '.codex', '.vscode', '.cursor', '.agents'])
const agentFile = /^(?:agents|claude|gemini)(?:\.local)?\.md$|^\.(?:mcp\.json|cursorrules|windsurfrules)$/
const ciFolders = new Set(
  '.github .circleci .gitlab .buildkite .woodpecker .forgejo .gitea .semaphore .teamcity .tekton .azuredevops .azure-pipelines'.split(
    ' ',
  ),
)
const ciFile =
  /^(?:\.gitlab-ci.*\.ya?ml|azure-pipelines.*\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile.*|\.travis\.ya?ml|\.drone\.ya?ml|\.?appveyor\.ya?ml|\.cirrus\.ya?ml|\.?screwdriver\.ya?ml|bitrise\.ya?ml|buildspec[\w.-]*\.ya?ml|dangerfile(?:\.\w+)?|renovate\.json5?|\.?codecov\.ya?ml|cloudbuild\.ya?ml|sonar-project\.properties)$/
const lockfile =
  /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|poetry\.lock|pdm\.lock|uv\.lock|pipfile\.lock|pixi\.lock|cargo\.lock|go\.sum|go\.work\.sum|gemfile\.lock|composer\.lock|packages\.lock\.json|gradle\.lockfile|mix\.lock|pubspec\.lock|podfile\.lock|package\.resolved|flake\.lock)$/
/** What pip installs, and from where. */
const requirements =
  /(?:^|\/)(?:[\w-]+-)?(?:requirements|constraints)(?:[_.-][\w.-]+)?\.(?:txt|in)$|^requirements\/[^/]+\.(?:txt|in)$/
const environmentFile = /^\.env(?:rc|\.(?!example$|sample$|template$|dist$).*)?$/
const gitFile = /^\.git(?:attributes|modules)$/

const configFiles: readonly RegExp[] = [
  // lint, format and types
  /^(?:eslint\.config\.\w+|\.eslintrc(?:\..*)?|\.eslintignore|biome\.jsonc?|\.?oxlintrc(?:\..*)?|oxlint\.config\.\w+|\.prettierrc(?:\..*)?|\.stylelintrc(?:\..*)?|stylelint\.config\.\w+)$/,
  /^(?:[tj]sconfig.*\.json|\.flake8|\.pylintrc|pylintrc|\.?mypy\.ini|\.?ruff\.toml|pyrightconfig\.json|\.bandit|\.rubocop.*\.ya?ml|\.golangci\.\w+|clippy\.toml|\.clippy\.toml|phpstan.*\.neon(?:\.dist)?|psalm\.xml|checkstyle\.xml|\.editorconfig|deno\.jsonc?|knip\.jsonc?|\.semgrep.*)$/,
  // any tool's own: `.<tool>rc`, and what it is told to leave out
  /^\.[\w-]+rc(?:\.(?:json[c5]?|ya?ml|toml|[cm]?[jt]s))?$/,
  /^\.(?!(?:git|docker|npm|helm|gcloud|vercel|slug|eb)ignore$)[\w-]+ignore$/,
  /^\.(?:markdownlint|swift(?:lint|format)|scala(?:fmt|fix)|yamllint|ansible-lint|ls-lint|hadolint|tflint|checkov|sqlfluff|spectral|vale|gitleaks|codeclimate|mega-linter|php-cs-fixer|php_cs|dependency-cruiser|size-limit|credo|formatter|isort|pycodestyle|pydocstyle|clang-tidy|clang-format|snyk|jscpd|commitlint|cspell)(?:[.-][\w.-]+)?$/,
  /^(?:tslint\.json|cspell(?:\.config)?\.\w+|commitlint\.config\.\w+|phpcs\.xml(?:\.dist)?|phpmd\.xml|rector\.php|infection\.json5?|detekt(?:-[\w-]+)?\.ya?ml|analysis_options\.yaml|deny\.toml|\.?rustfmt\.toml|revive\.toml|staticcheck\.conf|buf\.ya?ml|stylecop\.json|.*\.ruleset)$/,
  // tests and coverage
  /^(?:jest|vitest|vite|playwright|cypress|karma|wdio|ava|web-test-runner|stryker|nyc|babel|mocha|jasmine)[\w.-]*\.(?:config|conf|setup|workspace|projects)(?:\.[\w-]+)?\.\w+$/,
  /^(?:jest\.setup|vitest\.setup|vitest\.workspace|setuptests|jest-setup|vitest-setup)\.\w+$/,
  /^\.(?:mocharc|nycrc|c8rc|taprc|babelrc|swcrc|jasmine|coveragerc|rspec|simplecov)(?:\..*)?$/,
  /^(?:pytest\.ini|\.pytest\.ini|tox\.ini|setup\.cfg|setup\.py|noxfile\.py|conftest\.py|pyproject\.toml|sitecustomize\.py|usercustomize\.py|phpunit\.xml(?:\.dist)?|.*\.pth|.*\.runsettings|tarpaulin\.toml|nextest\.toml)$/,
  // builds and hooks
  /^(?:gnu)?makefile$|^(?:justfile|rakefile|taskfile\.ya?ml|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|cmakelists\.txt|build\.rs|directory\.build\.(?:props|targets)|turbo\.json|nx\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs)$/,
  /^(?:pnpm-workspace\.yaml|lerna\.json|angular\.json|bunfig\.toml|(?:uv|hatch|pixi)\.toml|build\.(?:sbt|xml|bazel)|build|workspace(?:\.bazel)?|module\.bazel|meson\.build|mix\.exs|package\.swift|foundry\.toml|global\.json|nuget\.config|rust-toolchain(?:\.toml)?|\.tool-versions|\.(?:node|python|ruby)-version)$/,
  /^(?:pytest\.toml|\.pytest\.toml|tox\.toml|behave\.ini|mocha\.opts|cucumber\.(?:[cm]?js|json|ya?ml)|jest-preset\.\w+|node\.config\.json|phpunit\.dist\.xml|testng[\w-]*\.xml|junit-platform\.properties|org\.(?:junit|testng|spockframework)\.[\w.]+|xunit\.runner\.json|import[-_]?map\.json|\.justfile|\.?mise\.toml|\.pnp\.(?:cjs|loader\.mjs)|.+\.(?:mk|gradle|gradle\.kts|props|targets|sbt|bzl|bazel|rake))$/,
  /^(?:composer\.json|gemfile|go\.(?:mod|work)|pipfile|pubspec\.yaml|shard\.yml|rebar\.config|deps\.edn|project\.clj|dune(?:-project|-workspace)?|cabal\.project|stack\.yaml|sconstruct|sconscript|wscript|build\.zig(?:\.zon)?|podfile|pants\.toml|buck|cmakepresets\.json|.+\.(?:gemspec|podspec|(?:cs|vb|fs|vcx)proj|slnx?|cmake|opam|cabal))$/,
  /^(?:webpack|rollup|rolldown|rspack|rsbuild|esbuild|tsup|tsdown|swc|metro|craco|hardhat|truffle)[\w.-]*\.config(?:\.[\w-]+)?\.\w+$/,
  /^(?:\.pre-commit-config\.ya?ml|\.?lefthook\.ya?ml|\.lintstagedrc(?:\..*)?|lint-staged\.config\.\w+)$/,
]
/** Installed packages and caches are read before anything that the repository says. */
const configFolder =
  /^(?:\.husky|\.cargo|\.mvn|\.config|\.yarn|\.vite|\.pytest_cache|\.mise|node_modules|buildsrc|mockito-extensions|.+\.(?:dist|egg)-info)$/

const testFolders = new Set(['test', 'tests', '__tests__', '__mocks__', 'e2e', 'cypress', 'testdata'])
const codeTestFolders = new Set(['spec', 'specs', 'features', 'step_definitions'])
const testFileNames: readonly RegExp[] = [
  /\.(?:test|tests|spec|specs|cy|e2e|e2e-spec|test-d|bench-test)\.\w+$/,
  /^test_.*\.pyi?$|_tests?\.pyi?$|^tests\.py$/,
  /_test\.(?:go|rb|exs|dart|cc|cpp|c|rs|lua)$|_spec\.(?:rb|lua)$/,
  /\.t$/,
]
/** Case matters here: `Latest.java` is no test. */
const testClassName = /(?:Tests?|TestCase|Spec|IT)\.(?:java|kt|kts|groovy|scala|cs|php|swift)$/

/** Whether a test runner picks the file up for its name, wherever it lies. */
export function isNamedAsTest(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return testFileNames.some((pattern) => pattern.test(name.toLowerCase())) || testClassName.test(name)
}

/** Case does not count: some file systems do not see it. */
export function pathKind(path: string): PathKind {
  const parts = path.toLowerCase().split('/')
  const name = parts.pop() ?? ''
  return protectedKind(name, parts) ?? testKind(path, name, parts)
}

function protectedKind(name: string, folders: readonly string[]): PathKind | null {
  if (agentFile.test(name) || folders.some((folder) => agentFolders.has(folder))) return 'agent'
  if (/^fixpoint\.ya?ml$/.test(name) || folders.includes('.fixpoint')) return 'fixpoint'
  if (gitFile.test(name)) return 'git'
  if (environmentFile.test(name)) return 'environment'
  if (ciFile.test(name) || folders.some((folder) => ciFolders.has(folder))) return 'ci'
  if (lockfile.test(name) || requirements.test([...folders.slice(-1), name].join('/'))) return 'lockfile'
  if (name === 'package.json' || name === 'cargo.toml') return 'manifest'
  if (folders.some((folder) => configFolder.test(folder))) return 'config'
  return configFiles.some((pattern) => pattern.test(name)) ? 'config' : null
}

function testKind(path: string, name: string, folders: readonly string[]): PathKind {
  if (folders.includes('__snapshots__') || /\.(?:snap|ambr)$/.test(name)) return 'snapshot'
  if (isNamedAsTest(path) || folders.some((folder) => testFolders.has(folder))) return 'test'
  return isCode(name) && folders.some((folder) => codeTestFolders.has(folder)) ? 'test' : 'source'
}

const codeExtension =
  /\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|kts?|scala|groovy|rb|php|cs|fs|vb|c|h|cc|cpp|cxx|hpp|m|mm|swift|dart|exs?|erl|lua|pl|pm|t|sh|bash|vue|svelte|astro|feature|sql|r|jl|hs|clj|zig|nim)$/i
const documentExtension = /\.(?:mdx?|rst|adoc|markdown)$|(?:^|\/)(?:readme|license)[^/]*$/i

/** Program text, by extension. */
export const isCode = (path: string): boolean => codeExtension.test(path)
/** Text for people, which no test reads as a rule; `license.ts` is a program. */
export const isDocument = (path: string): boolean => documentExtension.test(path) && !isCode(path)

/** Files that no check loads: records of changes, and pages about the project. */
export const isForPeople = (path: string): boolean =>
  /^(?:\.changeset\/[^/]*\.mdx?|(?:.*\/)?(?:changelog|changes|history|news|readme|license|authors|contributing)[^/.]*(?:\.(?:mdx?|markdown|rst|txt|adoc))?)$/i.test(
    path,
  )
