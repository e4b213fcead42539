import { basename, dirname, isAbsolute, join } from 'node:path'
import type { Mount } from './bwrap-arguments.ts'
import { canBeLayered } from './layers.ts'

/** What is asked of the file system. */
export interface Looks {
  exists(path: string): boolean
  /** The names in a folder; none when there is no such folder. */
  list(path: string): readonly string[]
  /** The text of a small file; empty when it cannot be read. */
  read(path: string): string
}

/** What version managers, languages and package managers keep below a home, and where nothing of it is a secret. */
const tools: readonly string[] = [
  '.nvm .volta .fnm .nodenv .n .bun .deno .npm-global .yarn/berry .local/share/pnpm .local/share/fnm',
  '.pyenv .conda miniconda3 anaconda3 miniforge3 mambaforge .virtualenvs .local/share/virtualenvs .local/share/uv',
  '.local/share/pipx .local/pipx .local/share/mise .local/share/rtx .asdf .local/lib .local/bin .nix-profile',
  '.rbenv .rvm .rubies .gem/ruby .local/share/gem .rustup .cargo .goenv .goroot go/bin sdk .sdkman .jenv .jabba',
  '.m2 .gradle .ivy2 .sbt .cache/coursier .dotnet .nuget/packages .ghcup .cabal .stack .opam .pub-cache .phpenv',
  '.composer/vendor .config/composer/vendor .juliaup .julia .elan .swiftly .foundry/bin .foundry/versions .local/share/claude',
].flatMap((names) => names.split(' '))

/** What is fetched or compiled once and read often; programs write to it as they like, and nothing of that stays. */
const caches: readonly string[] = [
  '.m2/repository .gradle/caches .gradle/wrapper .cargo/registry .cargo/git go/pkg .ivy2/cache .nuget/packages',
  '.cache/ms-playwright .cache/Cypress .cache/puppeteer .cache/pip .cache/uv .cache/pypoetry .cache/go-build',
  '.cache/deno .cache/yarn .cache/node .cache/pre-commit .npm .yarn/berry/cache .local/share/pnpm/store',
].flatMap((names) => names.split(' '))

/** Files among them that hold what somebody logs in with. */
const secrets: readonly string[] = [
  '.cargo/credentials .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties',
  '.sbt/.credentials .ivy2/.credentials .gem/credentials .local/share/gem/credentials .conda/.condarc',
  '.cabal/config .pub-cache/credentials.json .nuget/NuGet/NuGet.Config .stack/upload/credentials.json',
].flatMap((names) => names.split(' '))

/** Folders among them that hold nothing else. */
const secretFolders = '.dotnet/corefx .julia/servers .local/share/uv/credentials .gradle/init.d'.split(' ')

/** How files that log somebody in are called, in the first place of a folder of tools. */
const secretName =
  /credential|^settings.*\.xml$|token|^auth\b|password|secret|^\.?(npmrc|netrc|pypirc|condarc)$/i

/** Settings that are needed, unless a login stands among them. */
const mixedFiles = ['.cargo/config.toml', '.cargo/config']
const login = /^\s*"?(token|password|secret-key)"?\s*=/im

/** The settings of package managers, for the one command that installs. */
const packageSettings: readonly string[] = [
  '.npmrc .yarnrc .yarnrc.yml .config/yarn .config/pnpm .bunfig.toml .pip .config/pip .pypirc .netrc .config/uv',
  '.config/pypoetry .condarc .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .gradle/init.d',
  '.cargo/config.toml .cargo/config .cargo/credentials.toml .cargo/credentials .config/go .gemrc .gem/credentials',
  '.bundle .nuget/NuGet .config/NuGet .composer/auth.json .config/composer/auth.json .sbt/.credentials',
].flatMap((names) => names.split(' '))

/** Variables that name a folder of tools, wherever it lies. */
const folderVariables: readonly string[] = [
  'JAVA_HOME GRADLE_USER_HOME M2_HOME MAVEN_HOME ANDROID_HOME GOPATH GOROOT GOMODCACHE CARGO_HOME RUSTUP_HOME',
  'PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX RBENV_ROOT GEM_HOME NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME',
  'COREPACK_HOME BUN_INSTALL DENO_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR DOTNET_ROOT',
].flatMap((names) => names.split(' '))

export interface ToolRequest {
  readonly homes: readonly string[]
  /** All folders that are hidden, the homes among them. */
  readonly hidden: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly hasPackageSettings: boolean
}

/**
 * The hidden places that a program sees again, so that version managers, virtual environments and caches work:
 * read-only, caches with a layer of their own where bubblewrap can make one, and without the files that log somebody
 * in.
 */
export function toolMounts(request: ToolRequest, looks: Looks): readonly Mount[] {
  const { exists, list, read } = looks
  const { homes, hidden, env, hasPackageSettings } = request
  const below = (names: readonly string[]): readonly string[] =>
    homes.flatMap((home) => names.map((name) => join(home, name)))
  const isHidden = (path: string): boolean => hidden.some((folder) => path.startsWith(`${folder}/`))
  const named = [...folderVariables.flatMap((name) => env[name] ?? []), ...pathFolders(env['PATH'] ?? '')]
  const found = named.filter(
    (path) =>
      isAbsolute(path) &&
      isHidden(path) &&
      !hidden.includes(path) &&
      !homes.some((home) => isAround(path, home)),
  )
  const mounts: readonly Mount[] = [
    ...below(tools).map((path) => ({ how: 'read', path }) as const),
    ...found
      .map((path) => prefixOf(path, { ...looks, hidden }))
      .map((path) => ({ how: 'read', path }) as const),
    ...below(caches).map((path) => ({ how: canBeLayered(path) ? 'layer' : 'read', path }) as const),
    ...below(secretFolders).map((path) => ({ how: 'hidden', path }) as const),
    ...[
      ...below(secrets),
      ...below(mixedFiles).filter((path) => login.test(read(path))),
      ...below(tools).flatMap((path) =>
        list(path)
          .filter(isSecretName)
          .map((name) => join(path, name)),
      ),
    ].map((path) => ({ how: 'blank', path }) as const),
    ...(hasPackageSettings ? below(packageSettings).map((path) => ({ how: 'read', path }) as const) : []),
  ]
  return mounts.filter(({ path }) => exists(path))
}

const isSecretName = (name: string): boolean => secretName.test(name)

const pathFolders = (path: string): readonly string[] => path.split(':').filter((folder) => folder !== '')

/** Whether a folder is this home, or holds it: binding it would undo that the home is hidden. */
const isAround = (path: string, home: string): boolean =>
  path === '/' || path === home || home.startsWith(`${path}/`)

/**
 * A folder of programs is no use without what stands beside it: `lib` of a version of Node, `pyvenv.cfg` of a virtual
 * environment. Only folders that look like an installation are taken whole.
 */
function prefixOf(path: string, { exists, hidden }: Looks & Pick<ToolRequest, 'hidden'>): string {
  const parent = dirname(path)
  const isPrograms = ['bin', 'sbin', 'shims'].includes(basename(path))
  const isInstallation = ['lib', 'pyvenv.cfg', 'conda-meta', 'versions', 'libexec', 'env'].some((name) =>
    exists(join(parent, name)),
  )
  // The checkout, say, which also has a `bin` and a `lib`.
  const isOfMany = hidden.includes(parent) || ['.local', '.config', '.cache'].includes(basename(parent))
  return basename(path) === '.bin' || (isPrograms && isInstallation && !isOfMany) ? parent : path
}
