import type { Override } from '../../app/config/overrides.ts'
import { chooseIssues, fixIssues, resolveBase, sessionOptions, type FixRequest } from '../../app/fix-issues.ts'
import type { App } from '../../app/open-app.ts'
import { buildFixerPrompt } from '../../loop/fix.ts'
import { planFixes } from '../../loop/plan.ts'
import type { IssueStatus } from '../../model/issue.ts'
import type { Severity } from '../../model/severity.ts'
import { issuesInOrder } from '../../model/plan.ts'
import { withApp, type CommandContext, type RunCommand } from '../command.ts'
import { planText } from '../plan-text.ts'
import { driveSession } from '../drive-session.ts'
import { requireTrust } from '../trust.ts'

export interface ChooseOptions {
  readonly codes: readonly string[]
  readonly all?: boolean
  readonly severity?: readonly Severity[]
  readonly status?: readonly IssueStatus[]
  readonly base?: string
}

interface Options extends ChooseOptions {
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
  readonly record?: string
  readonly yes?: boolean
}

export const run: RunCommand<Options> = (context, options) =>
  withApp(context, { flags: flagsOf(options), record: options.record ?? null }, async (app) => {
    const request = requestOf(options)
    if (options.dryRun) return dryRun(app, context, request)
    await requireTrust(app, context, options.yes ?? false)
    warn(app, context)
    return driveSession(app, context, (signals) => fixIssues(app, request, signals))
  })

/** Flags that are settings by another name. */
function flagsOf(options: Options): readonly Override[] {
  const settings: readonly (readonly [string, string, unknown])[] = [
    ['--max-fix-cycles', 'fix.max_rounds', options.maxFixCycles],
    ['--strategy', 'fix.strategy', options.strategy],
    ['--fixer', 'agents.fixer', options.fixer],
    ['--challenger', 'agents.challenger', options.challenger],
    ['--threshold', 'challenge.threshold', options.threshold],
    ['--workspace', 'workspace.path', options.workspace],
    ['--allow', 'workspace.allowed_extra_paths', options.allow],
    ['--concurrency', 'fix.concurrency', options.concurrency],
  ]
  return settings.flatMap(([where, key, value]) => (value === undefined ? [] : [{ where, key, value }]))
}

export const requestOf = (options: ChooseOptions & Partial<Options>): FixRequest => ({
  codes: options.codes,
  all: options.all ?? false,
  severities: options.severity ?? [],
  statuses: options.status ?? [],
  base: options.base ?? null,
  branch: options.branch ?? null,
  useExistingBranch: options.useExistingBranch ?? false,
  notes: options.notes ?? null,
})

/** The plan and the very prompts that agents would get; nothing is run, written or claimed. */
async function dryRun(app: App, { output }: CommandContext, request: FixRequest): Promise<number> {
  const ports = await app.ports()
  const issues = await chooseIssues(app, request)
  const session = { base: await resolveBase(app, request.base), options: sessionOptions(app, request.notes) }
  const plan = planFixes(issues)
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const prompts: { code: string; prompt: string }[] = []
  for (const { issue_id, code } of issuesInOrder(plan)) {
    const issue = byId.get(issue_id)
    if (issue) prompts.push({ code, prompt: await buildFixerPrompt(issue, session, ports) })
  }
  output.print([planText(plan, output), ...prompts.map(({ code, prompt }) => `\n--- prompt for ${code} ---\n${prompt}`)].join('\n'))
  output.result({ schema: 'fixpoint.plan.v1', ...plan, prompts })
  return 0
}

/** What a person should know before agents run. */
function warn(app: App, { output }: CommandContext): void {
  const { config } = app.loaded
  app.git.notes.forEach((note) => output.say(`note: ${note}`))
  if (config.verify.commands.length === 0)
    output.say(
      'warning: no verification command is configured, so nothing can be proven and nothing will land. Add verify.commands to fixpoint.yaml (fixpoint init helps), or allow unproven fixes with land.min_evidence: E0.',
    )
  if (!config.challenge.enabled) output.say('warning: challenge.enabled is false: no second opinion is asked')
  else if (config.agents.fixer.use === config.agents.challenger.use && config.agents.fixer.use !== 'command')
    output.say(`note: ${config.agents.fixer.use} is fixer and challenger: the challenge is a second run, not a second opinion`)
}
