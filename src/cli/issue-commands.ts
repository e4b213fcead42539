import { Option, type Command } from 'commander'
import {
  exportFormats,
  exportNames,
  sessionExportNames,
  sessionExports,
} from '../adapters/exports/formats.ts'
import { reportFormatNames, reportFormats } from '../adapters/findings/formats.ts'
import { commands } from './commands/load.ts'
import {
  severityOption,
  splitCodes,
  statusWords,
  trustOption,
  withNarrowing,
  type ProgramPart,
} from './options.ts'

/** Commands that find issues, show them and move them by hand. */
export function addIssueCommands(part: ProgramPart): void {
  addFindingCommands(part)
  addExport(part)
  const add = part.addGroup('issues', 'list, show and move issues')
  addIssueReadings({ ...part, add })
  addSettlings({ ...part, add })
  addPublishing({ ...part, add })
}

function addFindingCommands({ add, dispatch }: ProgramPart): void {
  add('review', 'let the reviewers look at the code, and keep what they find as issues')
    .argument('[paths...]', 'files or folders; the whole repository when none is given')
    .option('--base <ref>', 'only what changed since this branch left that revision')
    .option('--staged', 'only what is staged')
    .option('--uncommitted', 'only what is not committed yet, staged or not')
    .option('--spec <path>', 'check the code against this specification')
    .option('--min-coverage <percent>', 'fail (exit 3) when fewer files were read in full')
    .addOption(trustOption())
    .action((paths: string[], options) => dispatch(commands.review, { ...options, paths }))
  add('import', "read another tool's report, or other JSON by a mapping")
    .argument('[file]', 'a path, or - for standard input; gzip is unpacked')
    .option('--pr <pull>', 'instead of a file: the open review threads of this pull request')
    .option('--code-scanning', "instead of a file: the open alerts of GitHub's code scanning")
    .addOption(
      new Option('--format <format>', 'format of the file; detected when not given').choices(
        reportFormatNames,
      ),
    )
    .option('--map <mapping>', 'where findings are in other JSON: "list=results,file=path,…", or a YAML file')
    .option(
      '--root <folder>',
      'folder that paths in the report begin at: where it was made, or where in this repository the tool ran',
    )
    .addOption(trustOption())
    .action((file: string | undefined, options) => dispatch(commands.import, { ...options, file }))
    .addHelpText('after', formatTable(reportFormats))
}

function addExport({ add, dispatch }: ProgramPart): void {
  add('export', 'print the issues of this repository')
    .argument(
      '[format]',
      `one of ${exportNames.join(', ')}, or of a session: ${sessionExportNames.join(', ')}`,
    )
    .argument('[session]', 'with html and bundle: its id')
    .option('--format <format>', 'the same as the argument')
    .option('--status <list>', `only these: ${statusWords}; what suits the format by default`)
    .option('--output <file>', 'write to a file instead of stdout')
    .option('--session <id>', 'the same as the argument')
    .option(
      '--upload',
      "with sarif: also hand it to GitHub's code scanning, for the commit that is checked out",
    )
    .option('--summary', 'also add a report to the file that GITHUB_STEP_SUMMARY names')
    .action((kind: string | undefined, session: string | undefined, options) =>
      dispatch(commands.export, { ...options, kind, ...(session !== undefined && { session }) }),
    )
    .addHelpText('after', formatTable([...exportFormats, ...sessionExports]))
}

interface DescribedFormat {
  readonly name: string
  readonly description: string
}

/** Says what each format is, below the options of its command. */
function formatTable(formats: readonly DescribedFormat[]): string {
  const width = Math.max(...formats.map(({ name }) => name.length))
  const lines = formats.map(
    ({ name, description }) => `  ${name.padEnd(width)}  ${description.replaceAll('`', '')}`,
  )
  return ['\nFormats:', ...lines].join('\n')
}

function addIssueReadings({ add, dispatch }: ProgramPart): void {
  withNarrowing(add('list', 'list issues, most urgent first'))
    .addOption(new Option('--group <by>', 'count them by rule or by file').choices(['rule', 'file']))
    .option('--status <list>', `only these: ${statusWords}`)
    .addOption(severityOption())
    .option('--review <id>', 'only those of one review')
    .option('--search <text>', 'only those whose title, code or file holds this text')
    .option('--limit <n>', 'how many on a page', '50')
    .option('--cursor <cursor>', 'start where the page before ended')
    .option('--all', 'every page at once')
    .action((options) => dispatch(commands.listIssues, options))
  add('show', 'show one issue with everything that ever happened to it')
    .argument('<code>', 'its code, such as BE-001')
    .action((code: string, options) => dispatch(commands.showIssue, { ...options, code }))
}

function addSettlings({ add, dispatch }: ProgramPart): void {
  const addMove = (verb: 'ignore' | 'reopen' | 'resolve' | 'duplicate', description: string): Command =>
    withNarrowing(add(verb, description))
      .argument('[codes...]', 'codes such as BE-001; none with --rule, --path or another filter', splitCodes)
      .addOption(severityOption())
      .action((codes: string[], options) => dispatch(commands.moveIssues, { ...options, codes, verb }))
  addMove('ignore', 'never raise these issues again')
    .requiredOption('--reason <text>', 'why')
    .option('--until <date>', 'only until this day, such as 2030-12-31')
    .option('--shared', 'also write it into .fixpoint/ignored.yaml, for every clone')
  addMove('reopen', 'make issues open again').option('--note <text>', 'why')
  addMove('resolve', 'say that a person fixed issues').requiredOption('--note <text>', 'how')
  addMove('duplicate', 'say that issues are the same as another one').requiredOption(
    '--of <code>',
    'the other one',
  )
}

function addPublishing({ add, dispatch }: ProgramPart): void {
  add('publish', 'make GitHub issues of what stays unresolved; each is published once and kept up to date')
    .argument('[codes...]', 'codes such as BE-001', splitCodes)
    .option('--unresolved', 'all that nobody could fix: blocked, deferred, failed or refused')
    .addOption(severityOption())
    .option('--dry-run', 'print the very texts; write nothing')
    .addOption(trustOption())
    .action((codes: string[], options) => dispatch(commands.publishIssues, { ...options, codes }))
}
