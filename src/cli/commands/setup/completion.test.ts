import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { createOutput } from '../../command/output.ts'
import { readCompletionPlaces, runCompletion } from './completion.ts'

const program = (): Command => {
  const command = new Command('fixpoint').version('1', '-V, --version')
  command
    .command('init')
    .description("look at it, don't touch")
    .option('--yes', 'trust')
    .option('-q', 'short only')
  command
    .command('issues')
    .description('list: and show')
    .command('list')
    .description('list')
    .option('--all', 'every one')
  return command
}

async function scriptFor(shell: string): Promise<string> {
  let printed = ''
  const stream = { write: (text: string) => (printed += text) } as unknown as NodeJS.WriteStream
  const output = createOutput('text', { stdout: stream, stderr: stream, env: {} })
  await runCompletion({ cwd: '/', env: {}, output, version: '1' }, { shell, program: program() })
  return printed
}

describe('completion', () => {
  it('knows every place of the program and what may come there', () => {
    expect(
      readCompletionPlaces(program()).map(({ path, commands, options }) => [
        path,
        commands.map(({ word }) => word),
        options.map(({ word }) => word),
      ]),
    ).toEqual([
      ['', ['init', 'issues'], ['--version', '--help']],
      ['init', [], ['--yes', '--help']],
      ['issues', ['list'], ['--help']],
      ['issues list', [], ['--all', '--help']],
    ])
  })

  it.each([
    ['bash', "'issues list') words='--all --help' ;;"],
    ['zsh', String.raw`'init:look at it, don'\''t touch'`],
    [
      'fish',
      String.raw`complete -c fixpoint -n '__fixpoint_at \'\'' -f -a 'init' -d 'look at it, don\'t touch'`,
    ],
    ['fish', String.raw`complete -c fixpoint -n '__fixpoint_at \'issues list\'' -l 'all' -d 'every one'`],
  ])('writes a script for %s', async (shell, line) => {
    expect(await scriptFor(shell)).toContain(line)
  })

  it('refuses a shell that it does not know, and names those it knows', async () => {
    await expect(scriptFor('tcsh')).rejects.toMatchObject({
      code: 'usage',
      hint: 'Known are bash, zsh, fish.',
    })
    await expect(scriptFor('constructor')).rejects.toMatchObject({ code: 'usage' })
  })
})
