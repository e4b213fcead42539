import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { renderBoundedText } from '../../adapters/process/bounded-text.ts'
import {
  BASE_ENVIRONMENT,
  cleanEnvironment,
  type Variables,
} from '../../adapters/process/clean-environment.ts'
import { runProcess } from '../../adapters/process/run-process.ts'
import { Fault } from '../../model/fault.ts'
import { sampleFiles } from './sample.ts'

export interface Sample {
  /** The checkout. */
  readonly root: string
  /** For everything that runs on the sample: no settings of the person, data inside of the demo's folder. */
  readonly env: Readonly<Record<string, string>>
  /** Runs git in the checkout and gives the lines that it printed. */
  readonly git: (...args: readonly string[]) => Promise<readonly string[]>
}

/** Writes the sample into a folder and makes a real repository of it, with an identity of its own. */
export async function makeSample(folder: string, env: Variables): Promise<Sample> {
  const root = join(folder, 'corner-shop')
  for (const [path, text] of Object.entries(sampleFiles)) {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const sample = openSample(root, sampleEnvironment(folder, env))
  await sample.git('init', '--quiet', '--initial-branch=main')
  await sample.git('config', 'user.name', 'Fixpoint Demo')
  await sample.git('config', 'user.email', 'demo@localhost')
  await sample.git('add', '--all')
  await sample.git('commit', '--quiet', '--message=A small shop')
  return sample
}

/** The Node that runs now comes first: the sample's tests then need no other on the machine. */
function sampleEnvironment(folder: string, env: Variables): Record<string, string> {
  const home = join(folder, 'home')
  const { PATH: path = '', ...base } = cleanEnvironment(env, BASE_ENVIRONMENT)
  return {
    ...base,
    PATH: [dirname(process.execPath), path].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    FIXPOINT_HOME: join(folder, 'fixpoint'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  }
}

function openSample(root: string, env: Record<string, string>): Sample {
  return {
    root,
    env,
    async git(...args) {
      const result = await runProcess({
        command: 'git',
        args,
        cwd: root,
        env,
        timeoutMs: gitTimeoutMs,
        walls: null,
      })
      if (result.ended === 'exited' && result.exitCode === 0)
        return renderBoundedText(result.stdout).trimEnd().split('\n')
      const said = result.error ?? renderBoundedText(result.stderr).trim()
      throw new Fault('git_failed', `git ${args[0] ?? ''} did not work in the sample repository: ${said}`, {
        hint: 'The demo needs git 2.38 or newer on PATH.',
      })
    },
  }
}

const gitTimeoutMs = 30_000
