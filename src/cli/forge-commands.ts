import { commands } from './commands/load.ts'
import { trustOption, type ProgramPart } from './options.ts'

/** Commands about pull requests and issues on GitHub. */
export function addForgeCommands(part: ProgramPart): void {
  const { dispatch } = part
  const add = part.addGroup('pr', 'publish fixes as pull requests, and review pull requests')
  add('create', 'push the branch of a session and open its pull request, or update the one there is')
    .argument('[session]', 'its id; by default the newest that landed something')
    .option('--base <branch>', 'merge into this branch instead of the one that the session started from')
    .option('--no-draft', 'open it for review at once')
    .option('--title <text>', 'its title')
    .option(
      '--from-bundle <file>',
      'publish what fixpoint export bundle wrote elsewhere, after checking it; nothing of it is run',
    )
    .option('--resolve', 'resolve the review threads that fixed issues came from')
    .option('--dry-run', 'print the very text; push and write nothing')
    .addOption(trustOption())
    .action((session: string | undefined, options) => dispatch(commands.prCreate, { ...options, session }))
  add('sync', 'take over what became of pull requests: merged, closed or reopened')
    .option('--resolve', 'resolve the review threads that fixed issues came from')
    .addOption(trustOption())
    .action((options) => dispatch(commands.prSync, options))
  add('answer', 'do what a comment on a pull request says, if its author may, and answer it; for workflows')
    .argument('<comment>', 'its number')
    .addOption(trustOption())
    .action((comment: string, options) => dispatch(commands.prAnswer, { ...options, comment }))
  add('review', 'let two or more agents vote on a pull request, none knowing of the others')
    .argument('<pull>', 'its number, its branch or its address')
    .option('--post', 'post the votes as one review, with comments on the changed lines')
    .addOption(trustOption())
    .action((pull: string, options) => dispatch(commands.prReview, { ...options, pull }))
}
