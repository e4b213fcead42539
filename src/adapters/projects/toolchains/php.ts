import { inFolder } from '../evidence/checkout.ts'
import {
  guessCommand,
  nothingFound,
  type Detect,
  type GuessedCommand,
  type Toolchain,
} from '../evidence/detection.ts'
import { firstEvidence, type Evidence } from '../evidence/evidence.ts'

const makeTest: readonly Evidence[] = [['Makefile', /^test\s*:(?=.*\n(?:\t.*\n)*?\t.*\b(?:phpunit|pest)\b)/m]]
const pest: readonly Evidence[] = [['composer.json', /"pestphp\/pest"/]]
const phpunit: readonly Evidence[] = [
  ['phpunit.xml', null],
  ['phpunit.xml.dist', null],
  ['phpunit.dist.xml', null],
  ['composer.json', /"phpunit\/phpunit"/],
]
const phpstan: readonly Evidence[] = [['composer.json', /"phpstan\/phpstan"/]]

/** Composer's own scripts come first, then the tools that it installs. */
const detectPhp: Detect = async (checkout, folder) => {
  const path = inFolder(folder, 'composer.json')
  const text = await checkout.read(path)
  if (text === null) return nothingFound
  const first = async (
    name: string,
    tools: readonly (readonly [evidence: readonly Evidence[], run: string])[],
  ): Promise<readonly GuessedCommand[]> => {
    if (scriptsOf(text).has(name))
      return [guessCommand(name, `composer run ${name}`, `script "${name}" of ${path}`)]
    for (const [evidence, run] of tools) {
      const why = await firstEvidence(checkout, folder, evidence)
      if (why) return [guessCommand(name, run, why)]
    }
    return []
  }
  const commands = [
    ...(await first('test', [
      [makeTest, 'make test'],
      [pest, 'vendor/bin/pest'],
      [phpunit, 'vendor/bin/phpunit'],
    ])),
    ...(await first('phpstan', [[phpstan, 'vendor/bin/phpstan analyse']])),
  ]
  // Many a library of another language is only published for Composer.
  if (commands.length === 0 && !/"(?:require|require-dev|autoload)"\s*:/.test(text)) return nothingFound
  return { ...nothingFound, commands, setup: { value: 'composer install --no-interaction', why: path } }
}

function scriptsOf(text: string): ReadonlySet<string> {
  try {
    const read: unknown = JSON.parse(text)
    const scripts = read !== null && typeof read === 'object' && 'scripts' in read ? read.scripts : null
    return new Set(scripts !== null && typeof scripts === 'object' ? Object.keys(scripts) : [])
  } catch {
    return new Set()
  }
}

export const php: Toolchain = {
  name: 'php',
  manifest: /^composer\.json$/,
  lock: /^composer\.lock$/,
  detect: detectPhp,
}
