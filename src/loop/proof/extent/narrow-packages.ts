import type { PackageRunner } from '../../../model/proof/import-graph.ts'
import { isComposed } from '../judging/narrow-command.ts'

export interface PackageChoice {
  readonly runner: PackageRunner
  /** How the runner is told of the packages. */
  readonly names: readonly string[]
  /** Whether the runner takes all packages where none is named. */
  readonly areAllByDefault: boolean
}

const isPlain = /^(?:-p )?[\w@.][\w@./-]*$/

/** The command for these packages alone; null where it is not known to run the tests of all. */
export function narrowToPackages(run: string, choice: PackageChoice): string | null {
  const written = run.trim()
  if (isComposed.test(written) || choice.names.some((name) => !isPlain.test(name))) return null
  const words = written.split(/ +/)
  if (words[0] !== choice.runner || words[1] !== 'test') return null
  return choice.runner === 'go' ? narrowGo(words.slice(2), choice) : narrowCargo(words.slice(2), choice)
}

const isFlag = (word: string): boolean => word.startsWith('-')

function narrowGo(words: readonly string[], { names }: PackageChoice): string | null {
  const flags = words.filter((word) => word !== './...')
  if (flags.length !== words.length - 1 || !flags.every(isFlag)) return null
  // Without names nobody could tell whether anything ran.
  const naming = flags.some((flag) => /^--?(?:v|json)(?:=true)?$/.test(flag)) ? [] : ['-v']
  return ['go test', ...naming, ...flags, ...names].join(' ')
}

function narrowCargo(words: readonly string[], { names, areAllByDefault }: PackageChoice): string | null {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const own = words.slice(0, end)
  const flags = own.filter((word) => !/^--(?:workspace|all)$/.test(word))
  const isForAll = areAllByDefault || flags.length < own.length
  if (
    !isForAll ||
    !flags.every(isFlag) ||
    flags.some((flag) => /^(?:-p|--(?:package|exclude|manifest))/.test(flag))
  )
    return null
  return ['cargo test', ...flags, ...names, ...words.slice(end)].join(' ')
}
