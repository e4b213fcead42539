import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Variables } from '../../process/clean-environment.ts'

/** How a CLI can be logged in. */
export interface CliLogin {
  /** What a person does to log in. */
  readonly how: string
  /** One of these is enough. */
  readonly variables: readonly string[]
  /** What a login leaves behind; `folder` is a configuration folder of its own, null for the person's. */
  files(at: {
    readonly env: Variables
    readonly home: string
    readonly folder: string | null
  }): readonly LoginFile[]
  /** Where that is, for the documentation. */
  readonly place: string
}

export interface LoginFile {
  readonly path: string
  /** The file is there without a login too; only with one does it hold this. */
  readonly holding?: string
}

/**
 * Whether a CLI has something to log in with, and what kind of thing; never the secret itself. The service is not
 * asked.
 */
export interface LoginState {
  readonly loggedIn: boolean
  readonly by: string | null
}

/** Looks for keys in the environment and for what a login leaves behind. */
export function readLogin({ variables, files }: CliLogin, env: Variables, folder: string | null): LoginState {
  const variable = variables.find((name) => (env[name] ?? '') !== '')
  if (variable !== undefined) return { loggedIn: true, by: variable }
  const file = files({ env, home: env['HOME'] ?? homedir(), folder }).find(isLeft)
  return { loggedIn: file !== undefined, by: file?.path ?? null }
}

function isLeft({ path, holding }: LoginFile): boolean {
  if (holding === undefined) return existsSync(path)
  try {
    return readFileSync(path, 'utf8').includes(holding)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

type Place = Parameters<CliLogin['files']>[0]

/** The files that are nothing but a login. */
export const credentialFiles = ({ files }: CliLogin, at: Place): readonly string[] =>
  files(at).flatMap(({ path, holding }) => (holding === undefined ? [path] : []))

/** Those of them that the CLI gets in the jail; null where a variable logs it in, and it needs none. */
export const neededFiles = (login: CliLogin, at: Place): readonly string[] | null =>
  login.variables.some((name) => (at.env[name] ?? '') !== '') ? null : credentialFiles(login, at)
