import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { CliKind } from './cli-agents.ts'

/** Whether a CLI has something to log in with, and what; never the thing itself, and never asked of the service. */
export interface LoginState {
  readonly loggedIn: boolean
  readonly by: string | null
}

interface Ways {
  readonly variables: readonly string[]
  readonly files: readonly string[]
}

/** Looks for keys in the environment and for what a login leaves behind; `folder` is a configuration folder of its own. */
export function loginState(kind: CliKind, env: Variables, folder: string | null): LoginState {
  const { variables, files } = waysOf(kind, env, folder)
  const variable = variables.find((name) => (env[name] ?? '') !== '')
  if (variable !== undefined) return { loggedIn: true, by: variable }
  const file = files.find((path) => holdsLogin(path))
  return { loggedIn: file !== undefined, by: file ?? null }
}

function waysOf(kind: CliKind, env: Variables, folder: string | null): Ways {
  const home = env['HOME'] ?? homedir()
  switch (kind) {
    case 'claude': {
      const config = folder ?? env['CLAUDE_CONFIG_DIR']
      return {
        variables: [
          'ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN',
          'CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX',
        ].flatMap((names) => names.split(' ')),
        files: [
          join(config ?? join(home, '.claude'), '.credentials.json'),
          join(config ?? home, '.claude.json'),
        ],
      }
    }
    case 'gemini': {
      const config = join(folder ?? env['GEMINI_CLI_HOME'] ?? home, '.gemini')
      return {
        variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
        files: [join(config, 'oauth_creds.json')],
      }
    }
    case 'codex':
      return {
        variables: ['CODEX_API_KEY'],
        files: [join(folder ?? env['CODEX_HOME'] ?? join(home, '.codex'), 'auth.json')],
      }
  }
}

/** Claude's general file is there without a login too; only with one does it name the account. */
function holdsLogin(path: string): boolean {
  if (!path.endsWith('.claude.json')) return existsSync(path)
  try {
    return readFileSync(path, 'utf8').includes('"oauthAccount"')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
