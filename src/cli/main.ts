import { Command, CommanderError, Option } from 'commander'
import { createRequire } from 'node:module'
import { exportFormats, exportNames } from '../adapters/exports/formats.ts'
import { reportFormatNames, reportFormats } from '../adapters/findings/formats.ts'
import { asFault, exitCodeOf, Fault, isRetryable } from '../model/fault.ts'
import type { CommandContext } from './command/context.ts'
import { commands, type LoadCommand } from './commands/load.ts'
import { createOutput, type Output, type OutputMode } from './command/output.ts'

/** Runs one command line and says how it ended. */
export async function main(argv: readonly string[]): Promise<number> {
  const mode: OutputMode = argv.includes('--jsonl') ? 'jsonl' : argv.includes('--json') ? 'json' : 'text'
  const output = createOutput(mode, process)
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreBrokenPipe)
  let exitCode = 0
  const context: CommandContext = { cwd: process.cwd(), env: process.env, output, version }
  const unanswered = process.exitCode
  process.exitCode = undefined // else `fixpoint help` would end with it
  const program = buildProgram(async (load, options) => {
    process.exitCode = unanswered
    const run = await load()
    exitCode = await run(context, options)
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error, output)
  }
}

/** A reader that has seen enough (`| head`) is no reason to stop working. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function reportError(error: unknown, output: Output): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    return printError(new Fault('usage', error.message.replace(/^error: /, '')), output)
  }
  const fault = asFault(error)
  output.say(`error: ${fault.message}\n${fault.hint}`)
  if (fault.code === 'internal' && fault.cause instanceof Error) output.say(fault.cause.stack ?? '')
  return printError(fault, output)
}

function printError({ code, message, hint, details }: Fault, output: Output): number {
  const has = Object.keys(details).length > 0
  const retryable = isRetryable(code)
  output.result({ schema: 'fixpoint.error.v1', code, message, hint, retryable, ...(has && { details }) })
  return exitCodeOf(code)
}

type Dispatch = <Options>(load: LoadCommand<Options>, options: Options) => Promise<void>

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** Codes with spaces or commas between them. */
const codeList = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value.split(',').filter((code) => code !== ''),
]

function buildProgram(dispatch: Dispatch): Command {
  const program = new Command('fixpoint')
    .description('Review findings in, proven fixes out.')
    .version(version, '-V, --version')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 all done, 1 something stays unresolved, 2 usage or configuration,\n3 could not evaluate, 4 budget or quota, 5 needs a person, 75 try again.',
    )
  pointToHelp(program)
  const add = (name: string, description: string): Command =>
    withOutput(program.command(name).description(description))
  addProjectCommands(add, dispatch)
  addFindingCommands(add, dispatch)
  addIssueCommands(program, dispatch)
  addFixCommands(add, dispatch)
  addSessionCommands(program, dispatch)
  return program
}

/** What was typed wrong is explained by the help of that very command. */
const pointToHelp = (command: Command): Command =>
  command.showHelpAfterError(`(${pathOf(command)} --help shows what there is)`)

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

const withOutput = (command: Command): Command =>
  pointToHelp(command)
    .option('--json', 'print one JSON object')
    .option('--jsonl', 'print every event as a JSON line, the result last')
    .exitOverride()

type Add = (name: string, description: string) => Command

function addProjectCommands(add: Add, dispatch: Dispatch): void {
  add('init', 'look at this repository and write a commented fixpoint.yaml')
    .option('--force', 'replace the fixpoint.yaml that is there')
    .option('--yes', 'trust the commands that were found, without asking')
    .action((options) => dispatch(commands.init, options))
  add('trust', "trust what this repository's files would have run or loaded, exactly as it is now")
    .option('--show', 'show it, and what of it is trusted; trust nothing')
    .option('--revoke', 'take back all that was trusted of this repository')
    .option('--yes', 'do not ask')
    .action((options) => dispatch(commands.trust, options))
  add('doctor', 'check this machine, this repository and what earlier runs left behind')
    .option('--fix', 'remove what no living process owns')
    .action((options) => dispatch(commands.doctor, options))
  add('demo', 'make a small repository with real mistakes, and fix it')
    .option('--keep', 'keep the repository and say where it is')
    .action((options) => dispatch(commands.demo, options))
  add('serve', 'show everything in a browser, and take requests over HTTP')
    .option(
      '--host <address>',
      'listen there; other machines can reach what is no loopback address',
      '127.0.0.1',
    )
    .option('--port <n>', '0 for any that is free', '4646')
    .option('--allow-host <name>', 'the server is also called this, such as behind a proxy', collect)
    .option('--grace <duration>', 'how long running steps may finish when it is stopped', '10s')
    .option('--log-level <level>', 'fatal, error, warn, info, debug, trace or silent', 'info')
    .option('--yes', "trust what the repository's files would have run or loaded")
    .action((options) => dispatch(commands.serve, options))
  add('agents', 'show which agents are installed, logged in and used').action((options) =>
    dispatch(commands.agents, options),
  )
  add('config', 'show every setting, its value and where it comes from')
    .option('--schema', 'print the JSON Schema of fixpoint.yaml')
    .action((options) => dispatch(commands.config, options))
  add('completion', 'print a completion script for a shell')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string, _options, command: Command) =>
      dispatch(commands.completion, {
        shell,
        program: command.parent ?? command,
      }),
    )
}

function addFindingCommands(add: Add, dispatch: Dispatch): void {
  add('review', 'let the reviewers look at the code, and keep what they find as issues')
    .argument('[paths...]', 'files or folders; the whole repository without them')
    .option('--base <ref>', 'only what changed since it branched off from this revision')
    .option('--staged', 'only what is staged')
    .option('--uncommitted', 'only what is not committed yet, staged or not')
    .option('--spec <path>', 'hold the code against this specification')
    .option('--min-coverage <percent>', 'fail (exit 3) when fewer files were read in full')
    .option('--yes', "trust what the repository's files would have run or loaded")
    .action((paths: string[], options) => dispatch(commands.review, { ...options, paths }))
  add('import', "read another tool's report, or other JSON by a mapping")
    .argument('<file>', 'a path, or - for standard input; gzip is unpacked')
    .addOption(
      new Option('--format <format>', 'what the file is; found out when not given').choices(
        reportFormatNames,
      ),
    )
    .option('--map <mapping>', 'where findings are in other JSON: "list=results,file=path,…", or a YAML file')
    .option('--root <folder>', 'what absolute paths in the report begin with; this repository without it')
    .action((file: string, options) => dispatch(commands.import, { ...options, file }))
    .addHelpText('after', formatTable(reportFormats))
  add('export', 'print the issues of this repository')
    .argument('[format]', `one of ${exportNames.join(', ')}`)
    .option('--format <format>', 'the same as the argument')
    .option('--status <list>', 'only these; without it what suits the format')
    .option('--output <file>', 'write to a file instead of stdout')
    .option('--summary', 'also add a report to the file that GITHUB_STEP_SUMMARY names')
    .action((kind: string | undefined, options) => dispatch(commands.export, { ...options, kind }))
    .addHelpText('after', formatTable(exportFormats))
}

interface Described {
  readonly name: string
  readonly description: string
}

/** What each format is, below the options of its command. */
function formatTable(formats: readonly Described[]): string {
  const width = Math.max(...formats.map(({ name }) => name.length))
  const lines = formats.map(
    ({ name, description }) => `  ${name.padEnd(width)}  ${description.replaceAll('`', '')}`,
  )
  return ['\nFormats:', ...lines].join('\n')
}

function addIssueCommands(program: Command, dispatch: Dispatch): void {
  const issues = pointToHelp(
    program.command('issues').description('list, show and settle issues').exitOverride(),
  )
  const add = (name: string, description: string): Command =>
    withOutput(issues.command(name).description(description))
  add('list', 'list issues, most urgent first')
    .option('--status <list>', 'only these: open, in_progress, resolved, merged, failed, ignored, duplicate')
    .option('--severity <list>', 'only these: critical, major, minor, info')
    .option('--review <id>', 'only those of one review')
    .option('--search <text>', 'only those whose title, code or file holds this text')
    .option('--limit <n>', 'how many', '50')
    .option('--cursor <cursor>', 'where the page before ended')
    .option('--all', 'every one, not a page')
    .action((options) => dispatch(commands.listIssues, options))
  add('show', 'show one issue with everything that ever happened to it')
    .argument('<code>')
    .action((code: string, options) => dispatch(commands.showIssue, { ...options, code }))
  const settle = (name: 'ignore' | 'reopen' | 'resolve' | 'duplicate', description: string): Command =>
    add(name, description)
      .argument('<codes...>', 'codes such as BE-001', codeList)
      .action((codes: string[], options) =>
        dispatch(commands.settleIssues, {
          ...options,
          codes,
          verb: name,
        }),
      )
  settle('ignore', 'never raise this again')
    .requiredOption('--reason <text>', 'why')
    .option('--until <date>', 'only until this day (2026-12-31)')
  settle('reopen', 'make it open again').option('--note <text>', 'why')
  settle('resolve', 'a person fixed it').requiredOption('--note <text>', 'how')
  settle('duplicate', 'it is the same as another one').requiredOption('--of <code>', 'the other one')
}

/** Options that choose issues, shared by plan and fix. */
const choosing = (command: Command): Command =>
  command
    .argument('[codes...]', 'codes such as BE-001', codeList)
    .option('--all', 'all open issues')
    .option('--severity <list>', 'only these severities')
    .option('--status <list>', 'with --all: these statuses instead of open')
    .option('--base <ref>', 'start from this commit instead of HEAD')

function addFixCommands(add: Add, dispatch: Dispatch): void {
  choosing(add('plan', 'show the steps and batches in which issues would be fixed'))
    .option('--approach', 'let the fixer write down how it will fix each')
    .option('--notes <text>', 'what the fixer should know')
    .option('--yes', "trust what the repository's files would have run or loaded")
    .action((codes: string[], options) => dispatch(commands.plan, { ...options, codes }))
  choosing(add('fix', 'fix issues, each in its own workspace, and land what is proven'))
    .option('--dry-run', 'print the plan and the full prompts; run and write nothing')
    .option('--max-fix-cycles <n>', 'rounds per issue')
    .option('--strategy <name>', 'isolated | sequential | single-call')
    .option('--fixer <agent>', 'who fixes')
    .option('--challenger <agent>', 'who judges')
    .option('--threshold <n>', "the challenger's score that is enough")
    .option('--workspace <path>', 'only this folder may change')
    .option('--allow <path>', 'this may change too', collect)
    .option('--notes <text>', 'what the fixer should know')
    .option('--branch <name>', 'name of the branch')
    .option('--use-existing-branch', 'go on from the branch that --branch names')
    .option('--concurrency <n>', 'how many issues at once')
    .option('--budget <usd>', 'stop, resumable, when this much is spent')
    .option('--clarify <mode>', 'ask | assume | off: may the fixer ask before it begins')
    .option('--until-clean', 'review what the fixes changed and fix again, until nothing new is found')
    .option('--max-passes <n>', 'with --until-clean: this often at most (3)')
    .option('--record <folder>', 'keep every agent run there, for the replay agent')
    .option('--force', 'start anew, although the same was asked for within the hour')
    .option('--yes', "trust what the repository's files would have run or loaded")
    .option('--no-tui', 'one line per issue instead of the whole screen (also: NO_TUI=1)')
    .action((codes: string[], options) => dispatch(commands.fix, { ...options, codes }))
  choosing(add('clarify', 'let the fixer ask about issues before they are fixed'))
    .option('--clarify <mode>', 'ask | assume: what it would assume is kept as the answer')
    .option('--notes <text>', 'what the fixer should know')
    .option('--yes', "trust what the repository's files would have run or loaded")
    .action((codes: string[], options) =>
      dispatch(commands.clarify, {
        ...options,
        codes,
      }),
    )
  add('answer', "answer the fixer's questions")
    .argument(
      '[words...]',
      'a session, then question and answer in turn; it asks, or shows what is open, without',
    )
    .action((words: string[], options) => dispatch(commands.answer, { ...options, words }))
  add('replay', 'run a recorded session once more, for free, also under another policy')
    .argument('<folder>', 'what fixpoint fix --record wrote')
    .option('--threshold <n>', "the challenger's score that is enough")
    .option('--max-fix-cycles <n>', 'rounds per issue')
    .option('--strategy <name>', 'isolated | sequential | single-call')
    .option('--yes', "trust what the repository's files would have run or loaded")
    .action((folder: string, options) => dispatch(commands.replay, { ...options, folder }))
  add('resume', 'go on with a session that was stopped or killed')
    .argument('[session]', 'its id; the newest resumable one without it')
    .option('--yes', "trust what the repository's files would have run or loaded")
    .option('--budget <usd>', 'a new budget for the whole session')
    .option('--no-tui', 'one line per issue instead of the whole screen (also: NO_TUI=1)')
    .action((session: string | undefined, options) =>
      dispatch(commands.resume, {
        ...options,
        session,
      }),
    )
  add('watch', 'show a session live: lanes, log, diff, answers by key; leaving does not stop it')
    .argument('[session]', 'its id; the newest one at work without it')
    .option('--url <address>', 'ask this server instead of the database (also: FIXPOINT_URL)')
    .option('--no-tui', 'one line per event, until the session rests')
    .action((session: string | undefined, options) => dispatch(commands.watch, { ...options, session }))
  const answering = (name: string, description: string): Command =>
    add(name, description)
      .argument('<session>')
      .argument('[codes...]', 'of these issues; of all that wait without them', codeList)
      .action((session: string, codes: string[], options) =>
        dispatch(commands.approve, {
          ...options,
          session,
          codes,
        }),
      )
  answering('approve', 'let held patches change exactly the files that were asked about')
  answering('reject', 'send held patches back without those changes').requiredOption('--reason <text>', 'why')
  add('verify', 'check landed fixes again, from the repository alone')
    .argument('<commits...>', 'commits that Fixpoint made, or branches and tags that name them')
    .option('--yes', "trust what the repository's files would have run or loaded")
    .action((revisions: string[], options) =>
      dispatch(commands.verify, {
        ...options,
        revisions,
      }),
    )
  add('cancel', 'end a session that nothing drives any more; its issues are open again')
    .argument('<session>')
    .action((session: string, options) =>
      dispatch(commands.cancel, {
        ...options,
        session,
      }),
    )
}

function addSessionCommands(program: Command, dispatch: Dispatch): void {
  const sessions = pointToHelp(
    program.command('sessions').description('list and read fixing sessions').exitOverride(),
  )
  const add = (name: string, description: string): Command =>
    withOutput(sessions.command(name).description(description))
  add('list', 'list sessions, newest first').action((options) => dispatch(commands.listSessions, options))
  const reading = (verb: 'show' | 'log' | 'report', description: string): Command =>
    add(verb, description)
      .argument('<session>')
      .action((session: string, options) => dispatch(commands.showSession, { ...options, session, verb }))
  reading('show', 'show what became of each issue')
  reading('log', 'show every event')
  reading('report', 'show every round: gates, checks, challenge, diff')
}

/** The package's own version; sources and build both lie two folders below its package.json. */
const version = (createRequire(import.meta.url)('../../package.json') as { readonly version: string }).version
