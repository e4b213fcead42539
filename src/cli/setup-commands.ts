import { Option, type Command } from 'commander'
import { commands } from './commands/load.ts'
import { shells } from './commands/setup/completion.ts'
import { PersonRole } from '../model/people/person.ts'
import { collect, trustOption, type ProgramPart } from './options.ts'

/** The words `--log-level` takes, from silence to everything. */
const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']

/** Commands about this machine, this repository and its configuration. */
export function addSetupCommands(part: ProgramPart): void {
  const { add, dispatch } = part
  add('init', 'look at this repository and write a commented fixpoint.yaml')
    .option('--force', 'replace the fixpoint.yaml that is there')
    .option('--run', 'run the checks that were found, once they are trusted')
    .option('--yes', 'trust the commands that were found, without asking')
    .action((options) => dispatch(commands.init, options))
  add('trust', 'trust the commands this repository would run and the files it would load, as they are now')
    .option('--show', 'show them and whether each is trusted; change nothing')
    .option('--revoke', 'trust nothing of this repository any more')
    .option('--yes', 'do not ask')
    .action((options) => dispatch(commands.trust, options))
  add('doctor', 'check this machine, this repository and what earlier runs left behind')
    .option('--checks', 'run the checks on HEAD too, as a session does before any agent runs')
    .option('--fix', 'remove what no running process owns')
    .addOption(trustOption())
    .action((options) => dispatch(commands.doctor, options))
  add('demo', 'make a small repository with real mistakes, and fix it')
    .option('--keep', 'keep the repository and say where it is')
    .option('--open', 'show the session in the browser while it runs, until Ctrl-C')
    .action((options) => dispatch(commands.demo, options))
  addServe(part)
  addWorker(part)
  add('mcp', 'serve this repository to a model over the Model Context Protocol, on standard input and output')
    .option('--allow-approvals', 'let the model approve held patches too')
    .action((options) => dispatch(commands.mcp, options))
  add('agents', 'show which agents are installed, logged in and used').action((options) =>
    dispatch(commands.agents, options),
  )
  add('config', 'show every setting, its value and where it comes from')
    .option('--schema', 'print the JSON Schema of fixpoint.yaml')
    .action((options) => dispatch(commands.config, options))
  addRepositories(part)
  addTokens(part)
  addDatabase(part)
  add('completion', 'print a completion script for a shell')
    .argument('<shell>', `one of ${shells.join(', ')}`)
    .action((shell: string, _options, command: Command) =>
      dispatch(commands.completion, { shell, program: command.parent ?? command }),
    )
}

function addRepositories({ addGroup, dispatch }: ProgramPart): void {
  const add = addGroup('repos', 'the repositories that the server and its workers know')
  add('list', 'list them').action((options) => dispatch(commands.listRepositories, options))
  add(
    'add',
    'make a repository known: a folder of this machine, or an address that is fetched when it is needed',
  )
    .argument('<place>', 'https://host/owner/name, ssh://git@host/owner/name, or a folder')
    .option('--trust', 'let what its files would run or load run, as it is on the default branch now')
    .action((place: string, options) => dispatch(commands.addRepository, { ...options, place }))
  add('remove', 'take one off the list, and its mirror from this disk; issues and sessions stay')
    .argument('<repository>', 'its id, address, folder or name')
    .action((name: string) => dispatch(commands.removeRepository, { name }))
}

function addTokens({ addGroup, dispatch }: ProgramPart): void {
  const add = addGroup('tokens', 'whom the server lets in, and what they may do there')
  add('list', 'list them; never the tokens themselves').action((options) =>
    dispatch(commands.listTokens, options),
  )
  add('create', 'let a person in; prints the token, once')
    .argument('<name>', 'whose it is: ada, or ada@example.org as a proxy names them')
    .addOption(
      new Option('--role <role>', 'viewer looks, operator starts, answers and stops, admin lets others in')
        .choices(PersonRole.options)
        .makeOptionMandatory(),
    )
    .option('--repository <name>', 'only this one: its id, folder or name; repeatable', collect)
    .option('--expires <duration>', 'how long it holds, such as 90d; for ever when left out')
    .action((name: string, options) => dispatch(commands.createToken, { ...options, name }))
  add('revoke', 'take a token back; whoever uses it is refused from now on')
    .argument('<token>', 'its id, or the name of whom it lets in')
    .action((token: string) => dispatch(commands.revokeToken, { token }))
}

function addDatabase({ addGroup, dispatch }: ProgramPart): void {
  const add = addGroup('db', 'the database that keeps everything; FIXPOINT_DATABASE names a PostgreSQL one')
  add('status', 'show which database is used and whether its tables are up to date').action((options) =>
    dispatch(commands.databaseStatus, options),
  )
  add('migrate', 'make the tables, or bring them up to this version').action((options) =>
    dispatch(commands.migrateDatabase, options),
  )
  add('copy', 'copy a database file into the PostgreSQL database, every id as it is')
    .requiredOption('--from <file>', 'the fixpoint.db to copy; it stays as it is')
    .action((options) => dispatch(commands.copyDatabase, options))
}

function addServe({ add, dispatch }: ProgramPart): void {
  add('serve', 'show everything in a browser, and take requests over HTTP')
    .option(
      '--host <address>',
      'address to listen on; other machines can reach all but loopback ones',
      '127.0.0.1',
    )
    .option('--port <n>', 'port to listen on; 0 takes any free one', '4646')
    .option('--allow-host <name>', 'another name of the server, such as behind a proxy; repeatable', collect)
    .option('--open', 'open the dashboard in the browser')
    .option('--grace <duration>', 'how long running steps may take to finish when the server stops', '10s')
    .option('--no-work', 'leave sessions to fixpoint worker; for a PostgreSQL database')
    .addOption(new Option('--log-level <level>', 'what is logged').choices(logLevels).default('info'))
    .addOption(trustOption())
    .action((options) => dispatch(commands.serve, options))
}

function addWorker({ add, dispatch }: ProgramPart): void {
  add('worker', 'work on sessions, attempts and reviews that wait in the queue of a PostgreSQL database')
    .option(
      '--concurrency <n>',
      'how many sessions it drives, attempts it works on, and reviews it runs, at once (limits.per_worker: 4)',
    )
    .addOption(
      new Option('--only <kind>', 'take nothing else from the queue').choices([
        'attempts',
        'sessions',
        'reviews',
      ]),
    )
    .option('--grace <duration>', 'how long running steps may take to finish when it stops', '60s')
    .addOption(new Option('--log-level <level>', 'what is logged').choices(logLevels).default('info'))
    .action((options) => dispatch(commands.worker, options))
}
