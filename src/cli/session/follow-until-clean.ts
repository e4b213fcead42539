import { fixIssues, type FixRequest } from '../../app/fix/fix-issues.ts'
import type { App } from '../../app/open-app.ts'
import { fixUntilClean, type Converged } from '../../app/fix/until-clean.ts'
import { Fault } from '../../model/fault.ts'
import type { Pass } from '../../model/session/pass.ts'
import { describeResult } from '../text/describe.ts'
import type { Output } from '../command/output.ts'
import { followSession, type Viewer } from './follow-session.ts'

export interface UntilCleanOptions {
  readonly request: FixRequest
  /** As it was typed. */
  readonly maxPasses: string
  readonly viewer: Viewer
  readonly output: Output
}

/** Fixes in passes until the reviewers find nothing new, and says why it stopped. */
export async function followUntilClean(
  app: App,
  { request, maxPasses, viewer, output }: UntilCleanOptions,
): Promise<number> {
  const converged = await fixUntilClean(app, {
    request,
    maxPasses: passesOf(maxPasses),
    signal: viewer.interrupts.stopStarting,
    fix: (one) => followSession(app, viewer, (signals) => fixIssues(app, one, signals)),
    onPass: (pass) => output.say(passText(pass)),
  })
  for (const { result } of converged.outcomes) output.print(describeResult(result, output))
  output.print(converged.reason)
  const last = converged.outcomes.at(-1)
  output.result({
    ...last?.result,
    passes: converged.passes,
    converged: { is_clean: converged.isClean, reason: converged.reason },
  })
  return viewer.interrupts.exitCode() ?? exitOf(converged)
}

function exitOf({ outcomes, isClean, isOverBudget }: Converged): number {
  const codes = [...outcomes.map(({ exitCode }) => exitCode), ...(isOverBudget ? [4] : [])]
  const worst = [4, 5, 3, 1].find((code) => codes.includes(code)) ?? 0
  return worst === 0 && !isClean ? 1 : worst
}

function passesOf(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new Fault('usage', `--max-passes takes a whole number above 0, not "${text}"`)
}

const list = (codes: readonly string[]): string => (codes.length > 0 ? codes.join(', ') : 'none')

const passText = (pass: Pass): string =>
  [
    `Pass ${pass.pass}: ${pass.fixed} fixed`,
    `new in old code: ${list(pass.latent)}`,
    `made by the fixes: ${list(pass.fix_induced)}${pass.induced_ratio === null ? '' : ` (${pass.induced_ratio} per fix)`}`,
    `found again: ${list(pass.confirmed)}`,
  ].join('; ')
