import { accessSync, constants, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createJail } from '../adapters/jail/index.ts'
import { probeBubblewrap, type Probe } from '../adapters/jail/probe.ts'
import type { Variables } from '../adapters/process/clean-environment.ts'
import type { GitRepository } from '../adapters/workspaces/index.ts'
import type { Jail } from '../loop/ports.ts'
import type { Config } from '../model/config/config.ts'
import { Fault } from '../model/fault.ts'

export interface JailRequest {
  readonly config: Pick<Config, 'sandbox'>
  readonly env: Variables
  readonly home: string
  /** Null where there is no repository to work on, and only the state is asked for. */
  readonly git: Pick<GitRepository, 'root' | 'owned' | 'objectDirs'> | null
}

/** The jail of this machine; `required` without one is refused, and nothing falls back in silence. */
export async function openJail(request: JailRequest): Promise<Jail> {
  const jail = await findJail(request)
  if (request.config.sandbox.mode !== 'required' || jail.state.isThere) return jail
  throw new Fault('sandbox_unavailable', `sandbox: required, but ${jail.state.text}`, {
    hint: `${jail.state.remedy ?? 'fixpoint doctor says more'}. sandbox: auto goes on without a jail and says so.`,
  })
}

/** The jail that there would be, also where that is none and one is required. */
export async function findJail({ config, env, home, git }: JailRequest): Promise<Jail> {
  const { mode } = config.sandbox
  return createJail({
    mode,
    probe: mode === 'off' ? null : await lookOnce(),
    home,
    root: git?.root ?? home,
    userHome: env['HOME'],
    objectDirs: git === null ? [] : [join(git.owned.gitDir, 'objects'), ...git.objectDirs],
  })
}

let looked: Promise<Probe> | null = null

/** What a kernel allows does not change while a process runs. */
const lookOnce = (): Promise<Probe> =>
  (looked ??= probeBubblewrap({
    platform: process.platform,
    isProgram: (path) => isThere(() => accessSync(path, constants.X_OK)) !== null,
    readSetting: (path) => isThere(() => readFileSync(path, 'utf8')) ?? '',
  }))

/** Null for a file that is not there or not for us. */
function isThere<Answer>(look: () => Answer): Answer | null {
  try {
    return look()
  } catch {
    return null
  }
}
