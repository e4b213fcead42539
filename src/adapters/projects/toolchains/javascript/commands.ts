import { inFolder, pathFrom, type CheckoutFiles } from '../../evidence/checkout.ts'
import {
  guessCommand,
  type GuessedCommand,
  type DetectedTools,
  type PackageManager,
} from '../../evidence/detection.ts'
import { dependsOn, type PackageJson, scriptOf, startProgram, type ManagerFlavour } from './manifest.ts'

const wanted: readonly (readonly [string, readonly string[]])[] = [
  ['test', ['test', 'test:ci', 'test:unit', 'unit']],
  [
    'typecheck',
    ['typecheck', 'type-check', 'check-types', 'check:types', 'types:check', 'types', 'type', 'tsc'],
  ],
  ['lint', ['lint', 'lint:check', 'lint:ci', 'eslint']],
  ['build', ['build']],
]

interface Scripted {
  readonly manifest: PackageJson
  readonly manager: PackageManager
  readonly flavour: ManagerFlavour
}

/** The scripts of a package that can serve as checks: per kind the first that is fit. */
export function scriptCommands(
  { manifest, manager, flavour }: Scripted,
  path: string,
): Pick<DetectedTools, 'commands' | 'notes'> {
  const commands: GuessedCommand[] = []
  const notes: string[] = []
  for (const [name, scripts] of wanted) {
    for (const script of scripts) {
      const line = scriptOf(manifest, script)
      if (line === null) continue
      const unfit = unfitReason(line)
      if (unfit === null) {
        const alone = name === 'test' ? testAlone({ manifest, manager, flavour }, script) : null
        const why = `script "${script}" of ${path}: ${line}`
        commands.push(guessCommand(name, alone?.run ?? runScript(manager, script, line), why))
        if (alone)
          notes.push(
            `script "${script}" of ${path} also runs ${alone.left.join(', ')}: left out, it is no test`,
          )
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

/** A test script without what it runs beside the tests, before, after or within; null where that is nothing. */
function testAlone(
  { manifest, manager, flavour }: Scripted,
  script: string,
): { readonly run: string; readonly left: readonly string[] } | null {
  const parts = (name: string): readonly string[] => scriptOf(manifest, name)?.split(/\s*&&\s*/) ?? []
  const own = parts(script)
  const all = [...parts(`pre${script}`), ...own, ...parts(`post${script}`)]
  const isOther = (part: string, depth = 0): boolean => {
    const called = calledScript(part)
    if (called === null || depth > 3) return otherTool.test(part)
    const inner = parts(called)
    return otherScript.test(called) || (inner.length > 0 && inner.every((one) => isOther(one, depth + 1)))
  }
  const left = all.filter((part) => isOther(part))
  const kept = all.filter((part) => !left.includes(part))
  if (left.length === 0 || kept.length === 0) return null
  if (kept.every((part) => calledScript(part) !== null)) return { run: kept.join(' && '), left }
  const isAround = manager === 'npm' && kept.length === own.length && own.every((part) => kept.includes(part))
  if (isAround) return { run: `${runScript('npm', script, '')} --ignore-scripts`, left }
  const started = kept.map((part) => {
    if (calledScript(part) !== null) return part
    const [variables = ''] = settings.exec(part) ?? []
    const line = part.slice(variables.length)
    return testRunner.test(line) ? `${variables}${startProgram[flavour]} ${line}` : null
  })
  return started.includes(null) ? null : { run: started.join(' && '), left }
}

/** Linters, formatters, type checks and audits, which are checks of their own or none. */
const otherTool =
  /^(?:npx\s+(?:-\S+\s+)*(?:npm\S*\s+)?)?(?:eslint|xo|standard|semistandard|jshint|prettier|biome|oxlint|oxfmt|stylelint|eclint|tsc\b.*--noEmit|tsd|attw|publint)\b|\baudit\b/
/** A program of the installed packages that runs tests and ends, started with plain words. */
const testRunner =
  /^(?:jest|mocha|ava|tape|jasmine|vitest run|(?:nyc|c8) (?:mocha|ava|jest|tape))(?: [\w./:=@,*-]+)*$/
/** Variables that are set for a program, in plain words or quotes. */
const settings = /^(?:[A-Z_]\w*=(?:'[^'$`]*'|"[^"$`]*"|[\w./:=@,*-]*)\s+)*/
const otherScript = /^(?:lint|format|audit|types?|types:check|typecheck|type-check|check-types|check:types)$/

/** The script that a part of a script calls. */
const calledScript = (part: string): string | null =>
  /^(?:(?:npm|bun)\s+run|npm(?=\s+test\b)|(?:pnpm|yarn)(?:\s+run)?)\s+(?:--?\w\S*\s+)*([\w:.-]+)/.exec(
    part,
  )?.[1] ?? null

interface Tool {
  readonly kind: 'test' | 'typecheck' | 'lint'
  readonly dependency: string
  readonly run: string
  /** A file that shows that it is set up here. */
  readonly file: RegExp
}

const testFile = /[.-](test|spec)\.[cm]?[jt]sx?$|(^|\/)__tests__\//
const eslintConfig = /^(eslint\.config\.[cm]?[jt]s|\.eslintrc(\.(c?js|json|ya?ml))?)$/

const tools: readonly Tool[] = [
  { kind: 'test', dependency: 'vitest', run: 'vitest run', file: testFile },
  { kind: 'test', dependency: 'jest', run: 'jest', file: testFile },
  { kind: 'test', dependency: 'mocha', run: 'mocha', file: /^test\/.*\.[cm]?[jt]s$/ },
  { kind: 'typecheck', dependency: 'typescript', run: 'tsc --noEmit', file: /^tsconfig\.json$/ },
  { kind: 'lint', dependency: 'eslint', run: 'eslint .', file: eslintConfig },
  { kind: 'lint', dependency: '@biomejs/biome', run: 'biome lint .', file: /^biome\.jsonc?$/ },
  { kind: 'lint', dependency: 'oxlint', run: 'oxlint', file: /^\.oxlintrc\.json$/ },
]
const hidden = [
  '.eslintrc',
  '.eslintrc.js',
  '.eslintrc.cjs',
  '.eslintrc.json',
  '.eslintrc.yml',
  '.eslintrc.yaml',
]

interface KnownOfPackage {
  readonly manifest: PackageJson
  readonly flavour: ManagerFlavour
  readonly given: readonly GuessedCommand[]
}

/** What is set up in a package without a script for it; `given` are the checks that are known already. */
export async function toolCommands(
  checkout: CheckoutFiles,
  folder: string,
  { manifest, flavour, given }: KnownOfPackage,
): Promise<readonly GuessedCommand[]> {
  const found: GuessedCommand[] = []
  const files = await filesOf(checkout, folder)
  for (const { kind, dependency, run, file } of tools) {
    if (!dependsOn(manifest, dependency) || [...given, ...found].some(({ name }) => name === kind)) continue
    const seen = files.find((path) => file.test(path))
    if (seen === undefined) continue
    if (kind === 'typecheck' && !(await isWholeProject(checkout, folder, given))) continue
    const why = `${dependency} in ${inFolder(folder, 'package.json')}, ${inFolder(folder, seen)}, and no script for it`
    found.push(guessCommand(kind, `${startProgram[flavour]} ${run}`, why))
  }
  return found
}

async function filesOf(checkout: CheckoutFiles, folder: string): Promise<readonly string[]> {
  const files = checkout.files.flatMap((file) => pathFrom(folder, file) ?? [])
  for (const name of [...hidden, '.oxlintrc.json'])
    if (await checkout.hasFile(inFolder(folder, name))) files.push(name)
  return files
}

/** A project of references checks nothing by itself, and a build may be the type check already. */
async function isWholeProject(
  checkout: CheckoutFiles,
  folder: string,
  given: readonly GuessedCommand[],
): Promise<boolean> {
  if (given.some(({ why }) => /\btsc\b/.test(why))) return false
  return !/"references"\s*:/.test((await checkout.read(inFolder(folder, 'tsconfig.json'))) ?? '')
}
