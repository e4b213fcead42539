import type { Command, Option } from 'commander'
import { Fault } from '../../../model/fault.ts'
import type { RunCommand } from '../../command/context.ts'

interface Options {
  readonly shell: string
  readonly program: Command
}

export const runCompletion: RunCommand<Options> = async ({ output }, { shell, program }) => {
  const format = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (!format)
    throw new Fault('usage', `there is no completion for "${shell}"`, {
      hint: `Known are ${shells.join(', ')}.`,
    })
  const script = format(readCompletionPlaces(program))
  output.print(script.trimEnd())
  output.result({ schema: 'fixpoint.completion.v1', shell, script })
  return 0
}

interface Word {
  readonly word: string
  readonly meaning: string
}

/** A point in a command line: the subcommands typed so far, and what may come next. */
export interface CompletionPlace {
  /** `issues list`; empty at the start. */
  readonly path: string
  readonly commands: readonly Word[]
  readonly options: readonly Word[]
}

/** Every place of the program, its start first. */
export function readCompletionPlaces(
  command: Command,
  path: readonly string[] = [],
): readonly CompletionPlace[] {
  const commands = command.commands.map((one) => ({ word: one.name(), meaning: one.description() }))
  const options = [...command.options, ...helpOption].flatMap(toWords)
  const below = command.commands.flatMap((one) => readCompletionPlaces(one, [...path, one.name()]))
  return [{ path: path.join(' '), commands, options }, ...below]
}

const helpOption: readonly Pick<Option, 'long' | 'description'>[] = [
  { long: '--help', description: 'show help' },
]

const toWords = ({ long, description }: Pick<Option, 'long' | 'description'>): readonly Word[] =>
  long ? [{ word: long, meaning: description }] : []

type Script = (places: readonly CompletionPlace[]) => string

const pathsOf = (places: readonly CompletionPlace[]): readonly string[] =>
  places.map(({ path }) => path).filter((path) => path !== '')
const wordsOf = ({ commands, options }: CompletionPlace): readonly Word[] => [...commands, ...options]
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** What bash and zsh name differently: the typed words, the place of the first one and of the cursor, and what is offered. */
interface ShellWords {
  readonly typed: string
  readonly first: number
  readonly cursor: string
  offer(place: CompletionPlace): string
}

/** Follows the typed words to a place of the program, and offers what may come there. */
const offerAtPlace = (
  places: readonly CompletionPlace[],
  { typed, first, cursor, offer }: ShellWords,
): string => `for ((i = ${first}; i < ${cursor}; i++)); do
    next="\${trail:+$trail }\${${typed}[i]}"
    case "$next" in
      ${pathsOf(places).map(quote).join(' | ')}) trail="$next" ;;
    esac
  done
  case "$trail" in
${places.map((place) => `    ${quote(place.path)}) ${offer(place)} ;;`).join('\n')}
  esac`

const bash: Script = (places) => `# bash completion for fixpoint: eval "$(fixpoint completion bash)"
_fixpoint() {
  local current="\${COMP_WORDS[COMP_CWORD]}" trail="" words="" next i
  ${offerAtPlace(places, { typed: 'COMP_WORDS', first: 1, cursor: 'COMP_CWORD', offer: bashWords })}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _fixpoint fixpoint
`

const zsh: Script = (places) => `#compdef fixpoint
# zsh completion for fixpoint: eval "$(fixpoint completion zsh)"
_fixpoint() {
  local trail="" next i
  local -a found
  ${offerAtPlace(places, { typed: 'words', first: 2, cursor: 'CURRENT', offer: zshWords })}
  _describe 'fixpoint' found || _files
}
if [[ "\${funcstack[1]}" == _fixpoint ]]; then _fixpoint "$@"; else compdef _fixpoint fixpoint; fi
`

const bashWords = (place: CompletionPlace): string => {
  const words = wordsOf(place).map(({ word }) => word)
  return `words=${quote(words.join(' '))}`
}

const zshWords = (place: CompletionPlace): string => {
  const words = wordsOf(place).map(({ word, meaning }) => quote(`${word}:${meaning}`))
  return `found=(${words.join(' ')})`
}

/** In fish, a quote or a backslash within single quotes has a backslash before it. */
const quoteFish = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`

const fish: Script = (places) => {
  const at = (path: string): string =>
    `complete -c fixpoint -n ${quoteFish(`__fixpoint_at ${quoteFish(path)}`)}`
  const lines = places.flatMap(({ path, commands, options }) => [
    ...commands.map(({ word, meaning }) => `${at(path)} -f -a ${quoteFish(word)} -d ${quoteFish(meaning)}`),
    ...options.map(
      ({ word, meaning }) => `${at(path)} -l ${quoteFish(word.slice(2))} -d ${quoteFish(meaning)}`,
    ),
  ])
  return `# fish completion for fixpoint: fixpoint completion fish | source
function __fixpoint_at
  set -l trail
  for word in (commandline -opc)[2..-1]
    if contains -- (string join ' ' $trail $word) ${pathsOf(places).map(quoteFish).join(' ')}
      set trail $trail $word
    end
  end
  test "$trail" = "$argv[1]"
end
${lines.join('\n')}
`
}

const scripts: Readonly<Record<string, Script>> = { bash, zsh, fish }

export const shells: readonly string[] = Object.keys(scripts)
