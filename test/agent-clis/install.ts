import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname
const modules = join(folder, 'node_modules')

/** A folder with `claude`, `codex` and `gemini` in it, as on a person's PATH. */
export const agentPrograms = join(modules, '.programs')

/** Node's compile cache for the agents: a short run of an agent spends most of its time on reading its own program. */
export const compiledAgents = join(modules, '.compiled')

const acpFolder = join(folder, 'acp')

/** The adapter through which Claude Code speaks ACP; `CLAUDE_CODE_EXECUTABLE` names the Claude Code that it starts. */
export const claudeAcp = join(acpFolder, 'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js')

/** The programs themselves. Their packages would put them in place by scripts, which are not run here. */
const places: Readonly<Record<string, string>> = {
  claude: '@anthropic-ai/claude-code-*/claude',
  codex: '@openai/codex-*/vendor/*/bin/codex',
  gemini: '.bin/gemini',
}

export function setup(): void {
  installPrograms()
  buildFixpoint()
}

/** Builds Fixpoint first, because it is started often here. Its sources run if the build fails. */
function buildFixpoint(): void {
  const script = join(folder, '../../scripts/build.ts')
  spawnSync(process.execPath, [script, '--if-stale'], { stdio: ['ignore', 'ignore', 'inherit'] })
}

function installPrograms(): void {
  installOnce(folder, { size: '900 MB', args: [], after: linkPrograms })
  installOnce(acpFolder, { size: '80 MB', args: ['--omit=optional'], after: () => undefined })
}

interface Installed {
  readonly size: string
  readonly args: readonly string[]
  after(): void
}

/** Installs the pinned packages of a folder, once for each lock file. The tests cannot run without them. */
function installOnce(place: string, { size, args, after }: Installed): void {
  const stamp = join(place, 'node_modules/.installed')
  const digest = createHash('sha256')
    .update(readFileSync(join(place, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  console.log(`Installing agents that the tests drive (about ${size}, once) …`)
  const { status, error } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...args], {
    cwd: place,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0)
    throw new Error(
      `Agents could not be installed (npm ci in ${place}: ${error?.message ?? `exit code ${status}`}). ` +
        'Their tests need them: see to it that npm reaches its registry, and run the tests again.',
    )
  after()
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

// CI starts this early, because it takes long and most tests do not need it.
if (import.meta.main) installPrograms()
