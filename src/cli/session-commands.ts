import type { Command } from 'commander'
import { commands } from './commands/load.ts'
import {
  collect,
  lineOption,
  notesOption,
  settingOption,
  splitCodes,
  trustOption,
  withChoice,
  type ProgramPart,
} from './options.ts'

/** Commands that prepare, run, steer and check the fixing of issues. */
export function addSessionCommands(part: ProgramPart): void {
  addPreparations(part)
  addFix(part)
  addRuns(part)
  addSteering(part)
  addVerify(part)
  addSessionReadings({ ...part, add: part.addGroup('sessions', 'list and read fixing sessions') })
}

function addPreparations({ add, dispatch }: ProgramPart): void {
  withChoice(add('plan', 'show the steps and batches in which issues would be fixed'))
    .option('--approach', 'let the fixer write down how it would fix each')
    .addOption(notesOption())
    .addOption(trustOption())
    .action((codes: string[], options) => dispatch(commands.plan, { ...options, codes }))
  withChoice(add('clarify', 'let the fixer ask about issues before they are fixed'))
    .option('--clarify <mode>', 'ask, or assume: then what it assumes is kept as the answer')
    .addOption(notesOption())
    .addOption(trustOption())
    .action((codes: string[], options) => dispatch(commands.clarify, { ...options, codes }))
  add('answer', "answer the fixer's questions")
    .argument(
      '[words...]',
      'a session, if not all, then each question and its answer; without these it asks, or shows what is open',
    )
    .action((words: string[], options) => dispatch(commands.answer, { ...options, words }))
}

function addFix({ add, dispatch }: ProgramPart): void {
  withChoice(add('fix', 'fix issues, each in its own workspace, and land what is proven'))
    .option('--dry-run', 'print the plan and the full prompts; run and write nothing')
    .addOption(settingOption('--max-fix-cycles <n>'))
    .addOption(settingOption('--strategy <name>'))
    .addOption(settingOption('--fixer <agent>'))
    .addOption(settingOption('--challenger <agent>'))
    .addOption(settingOption('--threshold <n>'))
    .addOption(settingOption('--workspace <path>'))
    .addOption(settingOption('--allow <path>').argParser(collect))
    .addOption(notesOption())
    .option('--branch <name>', 'name of the branch that fixes land on')
    .option(
      '--use-existing-branch',
      'go on from the branch that --branch names, or from that of these issues',
    )
    .addOption(settingOption('--concurrency <n>'))
    .addOption(settingOption('--budget <usd>'))
    .addOption(settingOption('--clarify <mode>'))
    .option('--until-clean', 'review what the fixes changed and fix again, until nothing new is found')
    .option('--max-passes <n>', 'with --until-clean: this often at most', '3')
    .option('--record <folder>', 'keep every agent run there, for fixpoint replay')
    .option('--force', 'start a new session, even if the same was asked for within the hour')
    .addOption(trustOption())
    .addOption(lineOption())
    .action((codes: string[], options) => dispatch(commands.fix, { ...options, codes }))
}

function addRuns({ add, dispatch }: ProgramPart): void {
  add('replay', 'run a recorded session again, for free, also under another policy')
    .argument('<folder>', 'what fixpoint fix --record wrote')
    .addOption(settingOption('--threshold <n>'))
    .addOption(settingOption('--max-fix-cycles <n>'))
    .addOption(settingOption('--strategy <name>'))
    .addOption(trustOption())
    .action((folder: string, options) => dispatch(commands.replay, { ...options, folder }))
  add('resume', 'go on with a session that was stopped or killed')
    .argument('[session]', 'its id; by default the newest that can go on')
    .addOption(trustOption())
    .option('--budget <usd>', 'a new budget for the whole session')
    .addOption(lineOption())
    .action((session: string | undefined, options) => dispatch(commands.resume, { ...options, session }))
  add('watch', 'show a session live: lanes, log, diff, answers by key; leaving does not stop it')
    .argument('[session]', 'its id; by default the newest at work')
    .option('--url <address>', 'ask this server instead of the database (also: FIXPOINT_URL)')
    .option('--no-tui', 'one line per event, until the session rests')
    .action((session: string | undefined, options) => dispatch(commands.watch, { ...options, session }))
}

function addSteering({ add, dispatch }: ProgramPart): void {
  const answering = (name: string, description: string): Command =>
    add(name, description)
      .argument(
        '[words...]',
        'a session, if not the only one that waits, then codes of issues, if not all of it that wait',
        splitCodes,
      )
      .action((words: string[], options) => dispatch(commands.approve, { ...options, words }))
  answering('approve', 'let held patches change exactly the files that were asked about')
  answering('reject', 'send held patches back without those changes').requiredOption('--reason <text>', 'why')
  add('cancel', 'end a session; its issues are open again')
    .argument('[session]', 'its id; by default the only one that has not ended')
    .action((session: string | undefined, options) => dispatch(commands.cancel, { ...options, session }))
}

function addVerify({ add, dispatch }: ProgramPart): void {
  add('verify', 'check landed fixes again, from the repository alone')
    .argument('<commits...>', 'commits that Fixpoint made, or branches and tags that name them')
    .addOption(trustOption())
    .action((revisions: string[], options) => dispatch(commands.verify, { ...options, revisions }))
}

function addSessionReadings({ add, dispatch }: ProgramPart): void {
  add('list', 'list sessions, newest first').action((options) => dispatch(commands.listSessions, options))
  const reading = (verb: 'show' | 'log' | 'report', description: string): Command =>
    add(verb, description)
      .argument('<session>', 'its id')
      .action((session: string, options) => dispatch(commands.showSession, { ...options, session, verb }))
  reading('show', 'show what became of each issue')
  reading('log', 'show every event')
  reading('report', 'show every round: gates, checks, challenge, diff').option(
    '--timing',
    'show instead where the time went: agents, checks, waiting for places, git, store',
  )
}
