import { renderBoundedText } from '../../process/bounded-text.ts'
import { BASE_ENVIRONMENT, cleanEnvironment, type Variables } from '../../process/clean-environment.ts'
import { runProcess } from '../../process/run-process.ts'

const timeoutMs = 10_000

/** The person's token: `GH_TOKEN`, `GITHUB_TOKEN`, else what `gh` is logged in with; null when there is none. */
export async function findToken(env: Variables, host: string): Promise<string | null> {
  const given = env['GH_TOKEN'] || env['GITHUB_TOKEN']
  if (given) return given.trim()
  const run = await runProcess({
    command: 'gh',
    args: ['auth', 'token', '--hostname', host],
    cwd: '/',
    env: cleanEnvironment(env, [...BASE_ENVIRONMENT, 'GH_CONFIG_DIR', 'GH_HOST', 'DBUS_SESSION_BUS_ADDRESS']),
    timeoutMs,
    walls: null,
  })
  const token = run.exitCode === 0 ? renderBoundedText(run.stdout).trim() : ''
  return /^\S+$/.test(token) ? token : null
}
