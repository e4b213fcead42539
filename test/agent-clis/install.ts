import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname
const modules = join(folder, 'node_modules')
const stamp = join(modules, '.installed')

/** A folder with `claude`, `codex` and `gemini` in it, as on a person's PATH. */
export const agentPrograms = join(modules, '.programs')

/** The programs themselves: their packages would put them in place by scripts, which are not run. */
const places: Readonly<Record<string, string>> = {
  claude: '@anthropic-ai/claude-code-*/claude',
  codex: '@openai/codex-*/vendor/*/bin/codex',
  gemini: '.bin/gemini',
}

export function setup(): void {
  installPrograms()
  buildFixpoint()
}

/** Fixpoint is started so often here that building it first pays. Where that fails, its sources run. */
function buildFixpoint(): void {
  const script = join(folder, '../../scripts/build.ts')
  spawnSync(process.execPath, [script, '--if-stale'], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Installs the pinned agent CLIs, once for each lock file. The tests cannot be run without them. */
function installPrograms(): void {
  const lock = readFileSync(join(folder, 'package-lock.json'))
  const digest = createHash('sha256').update(lock).digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  console.log('Installing the agent CLIs that the tests drive (about 900 MB, once) …')
  const { status, error } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0)
    throw new Error(
      `The agent CLIs could not be installed (npm ci in test/agent-clis: ${error?.message ?? `exit code ${status}`}). ` +
        'Their tests need them: see to it that npm reaches its registry, and run the tests again.',
    )
  linkPrograms()
  writeFileSync(stamp, digest)
}

function linkPrograms(): void {
  rmSync(agentPrograms, { recursive: true, force: true })
  mkdirSync(agentPrograms)
  for (const [name, pattern] of Object.entries(places)) {
    const found = globSync(pattern, { cwd: modules })[0]
    if (found === undefined)
      throw new Error(
        `npm installed no ${name} for ${process.platform}-${process.arch}: ${pattern} is missing`,
      )
    symlinkSync(join('..', found), join(agentPrograms, name))
  }
}
