import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { configFileName } from '../../../app/config/load-config.ts'
import { withOwnAgents } from '../../../adapters/agents/index.ts'
import { formatConfigFile, proposeConfig, type ConfigProposal } from '../../../app/init/propose-config.ts'
import { lookAtRepository } from '../../../app/find-repository.ts'
import { Fault } from '../../../model/fault.ts'
import { withApp, type CommandContext, type RunCommand } from '../../command/context.ts'
import { oneLine } from '../../../client/printable.ts'
import { requireTrust } from '../../command/trust.ts'
import { describeChecks, runChecks } from './doctor.ts'
import { writeWhole } from '../../../adapters/exports/write-whole.ts'

interface Options {
  readonly force?: boolean
  readonly yes?: boolean
  readonly run?: boolean
}

export const runInit: RunCommand<Options> = async (context, options) => {
  const { output } = context
  const { root } = await lookAtRepository(context)
  const file = join(root, configFileName)
  await refuseExisting(root, options)
  const kinds = withOwnAgents(context.agents ?? [])
  const proposal = await proposeConfig(root, context.env, kinds)
  await writeWhole(file, formatConfigFile(proposal, kinds))
  output.print(describeProposal(proposal, file))
  warnings(proposal).forEach((warning) => output.say(`warning: ${warning}`))
  const isTrusted = await askTrust(context, options)
  if (!isTrusted && (proposal.commands.length > 0 || proposal.setup))
    output.say('Its commands are not trusted yet and will not run. Read them, then run fixpoint trust.')
  const checks = options.run && isTrusted ? await runChecks(context, options) : []
  if (checks.length > 0) output.print(describeChecks(checks, output))
  const isUsable = checks.every(({ status }) => status !== 'error')
  output.print(`Next: ${isUsable ? '' : mendFirst}fixpoint review, then fixpoint fix --all`)
  output.result({ ...toJson(proposal, { file, isTrusted }), ...(options.run && { checks }) })
  return isUsable ? 0 : 3
}

const mendFirst = `mend what is red above, or ${configFileName}, until fixpoint doctor --checks is content; `

async function refuseExisting(root: string, { force = false }: Options): Promise<void> {
  const misnamed = join(root, 'fixpoint.yml')
  if (await exists(misnamed))
    throw new Fault('usage', `${misnamed} is there, but only ${configFileName} is read`, {
      hint: `Rename it to ${configFileName}, or remove it, then run fixpoint init again.`,
    })
  const file = join(root, configFileName)
  if (force || !(await exists(file))) return
  throw new Fault('usage', `${file} is there already`, {
    hint: 'fixpoint config shows what it says. fixpoint init --force replaces it.',
  })
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    },
  )

/** The person has just seen the commands. Without a yes, said or given as a flag, the file stays untrusted. */
async function askTrust(context: CommandContext, { yes }: Options): Promise<boolean> {
  try {
    await withApp(context, {}, (app) => requireTrust(app, context, { yes }))
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_trusted') return false
    if (!(error instanceof Fault && error.code === 'repository_unsupported')) throw error
    // The file is written and right; only what comes next has to wait.
    context.output.say(`warning: ${error.message}: ${error.hint}`)
    return false
  }
}

/** What was guessed, and from which file. */
function describeProposal(proposal: ConfigProposal, file: string): string {
  const { languages, packageManager, workspaces, commands, scanners, setup, share, classes, agents, notes } =
    proposal
  const rows: readonly (readonly [string, string, string])[] = [
    ...languages.slice(0, 5).map(({ value, why }) => ['language', value, why] as const),
    ...(packageManager ? [['packages by', packageManager.value, packageManager.why] as const] : []),
    ...workspaces.slice(0, 10).map(({ value, why }) => ['package', value, why] as const),
    ...commands.map(({ name, run: line, why }) => ['check', `${name}: ${line}`, why] as const),
    ...scanners.map(({ run: line }) => ['scanner', line, 'offered in the file, commented out'] as const),
    ...(setup ? [['setup', setup.value, setup.why] as const] : []),
    ...share.map(({ value, why }) => ['shared', value, why] as const),
    ...classes.BE.map(({ value, why }) => ['back end', value, why] as const),
    ...classes.FE.map(({ value, why }) => ['front end', value, why] as const),
    ...agents.map(({ value, why }) => ['agent', value, why] as const),
  ]
  const lines = rows.map(
    ([what, value, why]) => `  ${what.padEnd(11)}  ${oneLine(value, 80)}  (${oneLine(why)})`,
  )
  return [
    `Wrote ${file}, guessed from files; nothing was run:`,
    ...lines,
    ...notes.map((note) => `  note: ${oneLine(note, 200)}`),
  ].join('\n')
}

/** What a person must know before they rely on the file. */
function warnings({ commands }: Pick<ConfigProposal, 'commands'>): readonly string[] {
  if (commands.length === 0)
    return [
      'NO TEST COMMAND WAS FOUND. Nothing can be proven, so no fix will land. Name a command under verify.commands in fixpoint.yaml; or, to let unproven fixes land, set land.min_evidence: E0.',
    ]
  if (commands.some(({ name }) => /test/i.test(name))) return []
  const names = commands.map(({ name }) => name).join(', ')
  return [
    `no test command was found: fixes will be proven by ${names} alone. Add your tests under verify.commands.`,
  ]
}

interface WrittenFile {
  readonly file: string
  readonly isTrusted: boolean
}

const toJson = (proposal: ConfigProposal, { file, isTrusted }: WrittenFile) => ({
  schema: 'fixpoint.init.v1',
  file,
  trusted: isTrusted,
  warnings: warnings(proposal),
  languages: proposal.languages,
  package_manager: proposal.packageManager,
  workspaces: proposal.workspaces,
  commands: proposal.commands,
  scanners: proposal.scanners,
  setup: proposal.setup,
  share: proposal.share,
  classes: proposal.classes,
  agents: proposal.agents,
  notes: proposal.notes,
})
