import { judgeBase, withOneSetup } from '../../model/proof/preflight.ts'
import type { CheckCommand, CommandRun } from '../../model/proof/verification.ts'
import type { App } from '../open-app.ts'
import { describeMissing, howToBringPrograms } from '../require-programs.ts'
import { resolveBase } from '../resolve-base.ts'
import type { Check } from './check.ts'

/** Runs the configured checks on HEAD, as a session does before any agent runs. */
export async function examineChecks(app: App, signal: AbortSignal): Promise<readonly Check[]> {
  const { commands } = app.loaded.config.verify
  const missing = describeMissing(commands, app.env)
  if (missing.length > 0)
    return missing.map((message) => ({ name: 'check', status: 'error', message, hint: howToBringPrograms }))
  if (commands.length === 0) return []
  const { checks } = await app.ports()
  const revision = await resolveBase(app)
  const jailed = (await app.jail()).state.isThere ? commands : []
  const runs = await checks.run({ commands, revision, signal, isFirstLook: true })
  return withOneSetup(runs).map((run) => toCheck(run, jailed))
}

function toCheck(run: CommandRun, jailed: readonly CheckCommand[]): Check {
  const { blocking, warnings } = judgeBase([run], jailed)
  const [why] = [...blocking, ...warnings]
  const status = blocking.length > 0 ? 'error' : why === undefined ? 'ok' : 'warning'
  const seconds = (run.duration_ms / 1000).toFixed(1)
  return { name: 'check', status, message: why ?? `${run.name}: green on HEAD in ${seconds} s`, hint: null }
}
