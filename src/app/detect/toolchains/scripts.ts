import { guessCommand, type Found, type GuessedCommand, type PackageManager } from '../detection.ts'
import { scriptOf, type PackageJson } from './package-json.ts'

const wanted: readonly (readonly [string, readonly string[]])[] = [
  ['test', ['test', 'test:ci', 'test:unit', 'unit']],
  ['typecheck', ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc']],
  ['lint', ['lint', 'lint:check', 'lint:ci', 'eslint']],
  ['build', ['build']],
]

/** The scripts of a package that can serve as checks: per kind the first that is fit. */
export function scriptCommands(
  manifest: PackageJson,
  manager: PackageManager,
  path: string,
): Pick<Found, 'commands' | 'notes'> {
  const commands: GuessedCommand[] = []
  const notes: string[] = []
  for (const [name, scripts] of wanted) {
    for (const script of scripts) {
      const line = scriptOf(manifest, script)
      if (line === null) continue
      const unfit = unfitReason(line)
      if (unfit === null) {
        const why = `script "${script}" of ${path}: ${line}`
        commands.push(guessCommand(name, runScript(manager, script, line), why))
        break
      }
      notes.push(`script "${script}" of ${path} was left out: it ${unfit}`)
    }
  }
  return { commands, notes }
}

/** A check must end by itself and must not change what it checks. */
export function unfitReason(line: string): string | null {
  if (
    /(^|\s)--watch(All)?(?!=false)(\s|=|$)|\bnodemon\b|\bcypress open\b|\bplaywright test .*--ui\b/.test(line)
  )
    return 'keeps running (watch)'
  if (/\bng test\b/.test(line) && !/--(no-watch|watch[= ]false)/.test(line))
    return 'keeps running (ng test without --watch=false)'
  if (/(^|\s)(--fix|--write|--apply)(\s|=|$)/.test(line)) return 'changes files (--fix or --write)'
  if (/(^|\s)(--updateSnapshot|--update-snapshots?|vitest .*-u|jest .*-u)(\s|$)/.test(line))
    return 'renews snapshots'
  return null
}

function runScript(manager: PackageManager, script: string, line: string): string {
  // `bun test` would be bun's own runner, not the script.
  const base = script === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${script}`
  return /\breact-scripts test\b/.test(line) ? `CI=true ${base}` : base
}
