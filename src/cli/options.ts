import { issueSources } from '../app/fix/narrowing.ts'
import { Option, type Command } from 'commander'
import { describeFlag } from '../app/config/flag-help.ts'
import { IssueStatus } from '../model/issue/issue.ts'
import { Severity } from '../model/issue/severity.ts'
import type { LoadCommand } from './commands/load.ts'

/** Loads a command and runs it with its options. */
export type Dispatch = <Options>(load: LoadCommand<Options>, options: Options) => Promise<void>

type AddCommand = (name: string, description: string) => Command

/** What the files that declare commands get: where to add commands, and how one is run. */
export interface ProgramPart {
  readonly dispatch: Dispatch
  readonly add: AddCommand
  /** Makes a command that only holds others (`fixpoint issues …`), and adds to that one. */
  addGroup(name: string, description: string): AddCommand
}

/** A flag that sets a setting; the settings say what it means: `settingOption('--threshold <n>')`. */
export const settingOption = (flags: string): Option =>
  new Option(flags, describeFlag(flags.split(' ')[0] ?? ''))

export const trustOption = (): Option =>
  new Option('--yes', 'trust the commands this repository would run and the files it would load')

export const notesOption = (): Option => new Option('--notes <text>', 'what the fixer should know')

export const lineOption = (): Option =>
  new Option('--no-tui', 'one line per issue instead of the whole screen (also: NO_TUI=1)')

export const severityOption = (): Option =>
  new Option('--severity <list>', `only these: ${Severity.options.join(', ')}`)

/** The statuses an issue can have, as help texts list them. */
export const statusWords = IssueStatus.options.join(', ')

/** What narrows a list of issues. */
export const withNarrowing = (command: Command): Command =>
  command
    .option('--rule <list>', 'only those of these rules')
    .option('--tool <list>', 'only those that one of these said: rules, claude, eslint …')
    .option('--path <glob>', 'only those in this file, folder or glob')
    .option('--source <list>', `only those from: ${issueSources.join(', ')}`)
    .option('--since <when>', 'only those found since then: 7d, 36h or 2030-12-31')

/** What chooses issues: the same for plan, clarify and fix. */
export const withChoice = (command: Command): Command =>
  withNarrowing(command)
    .argument('[codes...]', 'codes such as BE-001', splitCodes)
    .option('--all', 'all open issues')
    .option('--limit <n>', 'so many at most, most urgent first')
    .addOption(severityOption())
    .option('--status <list>', `with --all: these statuses instead of open (${statusWords})`)
    .option('--base <ref>', 'start from this commit instead of HEAD')

/** Gathers what a repeated flag was given. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** Reads codes with spaces or commas between them. */
export const splitCodes = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value.split(',').filter((code) => code !== ''),
]
