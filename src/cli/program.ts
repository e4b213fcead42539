import { Command, Option } from 'commander'
import { addForgeCommands } from './forge-commands.ts'
import { addIssueCommands } from './issue-commands.ts'
import type { Dispatch, ProgramPart } from './options.ts'
import { addSessionCommands } from './session-commands.ts'
import { addSetupCommands } from './setup-commands.ts'

/** The whole command line. The files beside this one say which commands and flags there are; `commands` holds what they do. */
export function buildProgram(version: string, dispatch: Dispatch, say?: (text: string) => void): Command {
  const program = new Command('fixpoint')
    // What somebody typed may hold a secret, and commands that are made below write errors as their parent does.
    .configureOutput(say ? { writeErr: (text) => say(text.trimEnd()) } : {})
    .description('Review findings in, proven fixes out.')
    .version(version, '-V, --version')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 all done, 1 something stays unresolved, 2 usage or configuration,\n3 could not evaluate, 4 budget or quota, 5 needs a person, 75 try again.',
    )
  pointToHelp(program)
  const part: ProgramPart = {
    dispatch,
    add: adderTo(program),
    addGroup: (name, description) =>
      adderTo(pointToHelp(program.command(name).description(description).exitOverride())),
  }
  addSetupCommands(part)
  addIssueCommands(part)
  addSessionCommands(part)
  addForgeCommands(part)
  return program
}

const adderTo =
  (parent: Command): ProgramPart['add'] =>
  (name, description) =>
    // A group without a word lists what there is of it, so a word it does not know arrives here as well.
    pointToHelp(
      parent.command(name, { isDefault: name === 'list' }).description(description),
      name === 'list' ? parent : undefined,
    )
      .option('--json', 'print one JSON object')
      .option('--jsonl', 'print every event as a JSON line, the result last')
      .addOption(new Option('--database <url>', 'use this PostgreSQL database').hideHelp())
      .exitOverride()

/** A command line that is wrong is answered with the name of the help that explains it. */
const pointToHelp = (command: Command, explaining = command): Command =>
  command.showHelpAfterError(`(${pathOf(explaining)} --help shows what there is)`)

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
