import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'

/** The variables of an environment, by name. */
export type Variables = Readonly<Record<string, string | undefined>>

/** What a program needs to find its tools and its language; holds no secret and nothing that loads code. */
export const BASE_ENVIRONMENT: readonly string[] = [
  'PATH HOME USER LOGNAME SHELL TMPDIR TZ TERM LANG LANGUAGE LC_*',
  'XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME',
  'JAVA_HOME GRADLE_USER_HOME M2_HOME MAVEN_HOME ANDROID_HOME',
  'GOPATH GOROOT GOCACHE GOMODCACHE CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN',
  'PYENV_ROOT PYENV_VERSION VIRTUAL_ENV CONDA_PREFIX RBENV_ROOT GEM_HOME GEM_PATH',
  'NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME COREPACK_HOME BUN_INSTALL DENO_DIR',
  'ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR DOTNET_ROOT',
  'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS',
  'SystemRoot SystemDrive ComSpec PATHEXT TEMP TMP USERPROFILE APPDATA LOCALAPPDATA',
].flatMap((names) => names.split(' '))

/** Names that a pattern never lets through; only their full name in the allow-list does. */
const GUARDED =
  /^(GIT_|NODE_|LD_|DYLD_|npm_|FIXPOINT_|BASH_|PYTHON|PERL5|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|ENV$)|TOKEN|SECRET|PASS|KEY|CREDENTIAL|AUTH|COOKIE|_PAT$/i

/**
 * The whole environment of a child: the variables of `source` that `allow` names (`NAME` or `PREFIX*`), then `extra`.
 * Relative entries of PATH are dropped, since they would let the working directory choose the programs.
 */
export function cleanEnvironment(
  source: Variables,
  allow: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const names = new Set(allow)
  const prefixes = allow.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  const isAllowed = (name: string): boolean =>
    names.has(name) || (!GUARDED.test(name) && prefixes.some((prefix) => name.startsWith(prefix)))

  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || !isAllowed(name)) continue
    environment[name] = name === 'PATH' ? absoluteEntries(value) : value
  }
  return { ...environment, ...extra }
}

function absoluteEntries(path: string): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .join(delimiter)
}

/**
 * The person's environment without the programs that the checkout around a folder offers: npm puts `node_modules/.bin`
 * before everything else on the PATH, where a repository may keep a `git` or a `claude` of its own.
 */
export function withoutCheckoutPrograms(env: Variables, cwd: string): Variables {
  const checkout = checkoutAround(cwd)
  const path = env['PATH']
  if (checkout === null || path === undefined) return env
  const isOffered = (folder: string): boolean =>
    /[/\\]node_modules[/\\]/.test(folder) &&
    [folder, existsSync(folder) ? realpathSync(folder) : folder].some((place) =>
      place.startsWith(join(checkout, '/')),
    )
  const kept = path.split(delimiter).filter((folder) => !isOffered(folder))
  return { ...env, PATH: kept.join(delimiter) }
}

/** The nearest folder with a `.git` in it; git itself is not asked, since it may be the very program in question. */
function checkoutAround(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return realpathSync(folder)
  const parent = dirname(folder)
  return parent === folder ? null : checkoutAround(parent)
}
