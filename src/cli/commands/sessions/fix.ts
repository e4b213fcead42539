import { flagOverrides } from '../../../app/config/overrides.ts'
import { chooseIssues } from '../../../app/fix/choose-issues.ts'
import { fixIssues, type FixRequest } from '../../../app/fix/fix-issues.ts'
import { resolveBase } from '../../../app/resolve-base.ts'
import { draftPrompts, planIssues } from '../../../app/prepare/plan-issues.ts'
import type { App } from '../../../app/open-app.ts'
import { kindOf } from '../../../model/config/agent-kind.ts'
import { builtInAgent } from '../../../model/config/written.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { howToProve, mayLandUnverified, whyUnprovable } from '../../../model/proof/evidence.ts'
import type { Revision } from '../../../model/attempt/attempt.ts'
import { choiceOf, type ChooseOptions } from '../../command/choice.ts'
import { openCommandApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import { planResult, planText } from '../../text/plan-text.ts'
import { followSession, openViewer, printOutcome, type Viewer } from '../../session/follow-session.ts'
import type { DisplayOptions } from '../../command/terminal.ts'
import { requireTrust } from '../../command/trust.ts'
import { fixUntilClean, type Converged } from '../../../app/fix/until-clean.ts'
import { Fault, exitCodeOf } from '../../../model/fault.ts'
import type { Pass } from '../../../model/session/pass.ts'
import { describeResult } from '../../text/describe.ts'
import type { Output } from '../../command/output.ts'

interface Options extends ChooseOptions, DisplayOptions {
  readonly dryRun?: boolean
  readonly maxFixCycles?: string
  readonly strategy?: string
  readonly fixer?: string
  readonly challenger?: string
  readonly threshold?: string
  readonly workspace?: string
  readonly allow?: readonly string[]
  readonly notes?: string
  readonly branch?: string
  readonly useExistingBranch?: boolean
  readonly concurrency?: string
  readonly budget?: string
  readonly clarify?: string
  readonly untilClean?: boolean
  readonly maxPasses: string
  readonly record?: string
  readonly force?: boolean
  readonly yes?: boolean
}

export const runFix: RunCommand<Options> = async (context, options) => {
  const { output } = context
  await using app = await openCommandApp(context, {
    flags: flagOverrides(options),
    record: options.record ?? null,
  })
  const issues = await chooseIssues(app, choiceOf(options))
  const base = await resolveBase(app, options.base)
  if (options.dryRun) return await dryRun(app, context, { issues, base, notes: options.notes ?? null })
  await requireTrust(app, context, { yes: options.yes, revisions: [base.commit] })
  warn(app, context)
  if (issues.length === 0)
    output.say(
      'note: there is nothing to fix. fixpoint review and fixpoint import find something; what failed before is taken with --all --status failed.',
    )
  const request = { ...requestOf(issues, options), attended: output.isInteractive }
  using viewer = openViewer(app, context, options)
  if (options.untilClean)
    return await followUntilClean(app, { request, maxPasses: options.maxPasses, viewer, output })
  const outcome = await followSession(app, viewer, (signals) => fixIssues(app, request, signals))
  return printOutcome(outcome, viewer, output)
}

const requestOf = (
  issues: readonly Issue[],
  { base, branch, useExistingBranch, notes, force }: Options,
): FixRequest => ({
  issues,
  ...(base !== undefined && { base }),
  ...(branch !== undefined && { branch }),
  ...(useExistingBranch !== undefined && { useExistingBranch }),
  ...(notes !== undefined && { notes }),
  ...(force !== undefined && { force }),
})

interface DryRun {
  readonly issues: readonly Issue[]
  readonly base: Revision
  readonly notes: string | null
}

/** The plan and the very prompts that agents would get; nothing is run, written or claimed. */
async function dryRun(
  app: App,
  { output }: CommandContext,
  { issues, base, notes }: DryRun,
): Promise<number> {
  const work = await planIssues(app, issues)
  const prompts = await draftPrompts(app, { issues, base, notes })
  output.print(
    [
      planText(work, issues, output),
      ...prompts.map(({ code, prompt }) => `\n--- prompt for ${code} ---\n${prompt}`),
    ].join('\n'),
  )
  output.result({ ...planResult(work, issues), prompts })
  return 0
}

/** What a person should know before agents run. */
function warn(app: App, { output }: CommandContext): void {
  const { config } = app.loaded
  const { fixer, challenger } = config.agents
  app.git.notes.forEach((note) => output.say(`note: ${note}`))
  const { commands } = config.verify
  const bar = { min_evidence: config.land.min_evidence, commands }
  if (mayLandUnverified(bar))
    output.say(
      'warning: no verification command is configured, so nothing can be proven and every fix lands unverified (land.min_evidence: E0)',
    )
  else if (whyUnprovable(bar) !== null)
    output.say(
      `warning: no verification command is configured, so nothing can be proven, nothing will land, and no agent is asked. ${howToProve}`,
    )
  if (app.loaded.sources.get('agents.fixer')?.source === 'default' && fixer.use !== builtInAgent)
    output.say(
      `note: nobody chose who fixes, so it is ${fixer.use}, which is installed and logged in (fixpoint agents)`,
    )
  if (!config.challenge.enabled) output.say('warning: challenge.enabled is false: no second opinion is asked')
  else if (fixer.use === challenger.use && kindOf(app.loaded.kinds, fixer.use)?.run?.is !== 'program')
    output.say(
      `note: ${fixer.use} is fixer and challenger: the challenge is a second run, not a second opinion`,
    )
}

interface UntilCleanOptions {
  readonly request: FixRequest
  /** As it was typed. */
  readonly maxPasses: string
  readonly viewer: Viewer
  readonly output: Output
}

/** Fixes in passes until the reviewers find nothing new, and says why it stopped. */
async function followUntilClean(
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

function exitOf({ outcomes, isClean, isOverBudget, fault }: Converged): number {
  const codes = [
    ...outcomes.map(({ exitCode }) => exitCode),
    ...(isOverBudget ? [4] : []),
    ...(fault ? [exitCodeOf(fault.code)] : []),
  ]
  const worst = [4, 75, 5, 3, 1].find((code) => codes.includes(code)) ?? 0
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
