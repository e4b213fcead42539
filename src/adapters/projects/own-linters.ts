import type { Detection, GuessedCommand, OfferedScanner, PackageManager } from './evidence/detection.ts'

interface Linter {
  readonly name: string
  /** How it is called in a command or a script, with its own arguments. */
  readonly call: RegExp
  /** What makes it print what Fixpoint reads. */
  readonly reporting: (call: string) => string
  /** The built-in rules that it doubles. */
  readonly doubles: readonly string[]
}

const scripts = ['eslint/*', 'typescript/*', 'unicorn/*', 'promise/*', 'node/*', 'react/*', 'react-hooks/*']
const python = ['ruff/*', 'py/*']

const linters: readonly Linter[] = [
  {
    name: 'eslint',
    call: /\beslint\b(?!-)[^&|;]*/,
    reporting: (call) => `${call.replace(/^eslint$/, 'eslint .')} --format json`,
    doubles: scripts,
  },
  { name: 'xo', call: /\bxo\b[^&|;]*/, reporting: (call) => `${call} --reporter json`, doubles: scripts },
  {
    name: 'biome',
    call: /\bbiome\b[^&|;]*/,
    reporting: (call) => `${call} --reporter=json`,
    doubles: scripts,
  },
  {
    name: 'oxlint',
    call: /\boxlint\b[^&|;]*/,
    reporting: (call) => `${call} --format json`,
    doubles: [...scripts, 'oxc/*'],
  },
  {
    name: 'ruff',
    call: /\bruff check\b.*/,
    reporting: (call) => `${call} --output-format json`,
    doubles: python,
  },
  { name: 'flake8', call: /\bflake8\b.*/, reporting: (call) => call, doubles: ['ruff/F*'] },
  { name: 'pylint', call: /\bpylint\b.*/, reporting: (call) => `${call} --output-format json`, doubles: [] },
  {
    name: 'clippy',
    call: /\bcargo clippy\b.*/,
    reporting: (call) => `${call} --message-format=json`,
    doubles: [],
  },
]

/** Linters that the project runs itself, as scanners that a review could run. */
export const offerScanners = (
  commands: readonly GuessedCommand[],
  manager: Detection['packageManager'],
): readonly OfferedScanner[] =>
  commands.filter(({ name }) => name === 'lint').flatMap((command) => offerOf(command, manager?.value) ?? [])

function offerOf({ run, why }: GuessedCommand, manager: PackageManager = 'npm'): OfferedScanner | null {
  // A script names the linter after its colon, and only the package manager knows where it is.
  const line = /^script "[^"]+" of [^:]+: (.*)$/.exec(why)?.[1]
  for (const { name, call, reporting, doubles } of linters) {
    const found = call.exec(line ?? run)
    if (!found) continue
    const start = line === undefined ? run.slice(0, found.index) : starts[manager]
    return { name, run: `${start}${reporting(found[0].trim())}`, doubles, why }
  }
  return null
}

/** What prints nothing of its own before a report. */
const starts: Readonly<Record<PackageManager, string>> = {
  npm: 'npx --no-install ',
  yarn: 'npx --no-install ',
  pnpm: 'pnpm exec ',
  bun: 'bunx --no-install ',
}
