import { makeProject } from '../../test/fixtures/project.ts'
import type { VerifyStrategy } from '../../src/model/proof/verification.ts'
import type { Cheat } from './cheats/cheat.ts'
import type { Honest, Runner } from './cheats/scene.ts'
import { installedRunners } from './installed-runners.ts'

/** How one fixer of a scene ended. */
export interface Played {
  readonly runner: Runner['name']
  readonly isRed: boolean
  readonly fixer: Cheat | Honest
  readonly isHonest: boolean
  readonly outcome: string
  readonly evidence: string | null
  readonly reason: string
}

export interface SceneOptions {
  readonly isRed: boolean
  /** Chooses the cheats; without it, all cheats that can be told from a fix on this base. */
  readonly choose?: (cheat: Cheat) => boolean
  /** The command; that of the runner without it. */
  readonly verify?: string
  /** How much of it an attempt runs. */
  readonly strategy?: VerifyStrategy
}

/** Runs one session of the real engine with one runner. Every fixer has an issue of its own, and the judge gives 99 to all. */
export async function playScene(runner: Runner, options: SceneOptions): Promise<readonly Played[]> {
  const { isRed, choose = () => true, verify = runner.verify, strategy } = options
  const cheats = runner.cheats.filter(
    (each) => (isRed || !each.needsRedBase) && (each.runner ?? runner.name) === runner.name && choose(each),
  )
  const fixers = [...cheats, ...runner.honest]
  const nameOf = (at: number): string => `c${String(at).padStart(3, '0')}`
  const files = fixers.map((_, at) => runner.fileOf(nameOf(at)))
  const cases = fixers.map((fixer, at) => `case '${files[at] ?? ''}': { ${fixer.does}; break }`)
  const project = await makeProject({
    files: runner.files(
      fixers.map((_, at) => nameOf(at)),
      isRed,
    ),
    fixer: `${runner.prelude}\nswitch (issue.file) { ${cases.join('\n')} } return {}`,
    verify,
    ...(strategy && { verifyStrategy: strategy }),
    config: `fix: { max_rounds: 1, concurrency: 6 }${runner.packages ? `\nworkspace: { setup: "ln -s ${installedRunners} node_modules" }` : ''}`,
  })
  try {
    await project.import(
      files.map((file, at) => ({
        file,
        line: 1,
        title: `number ${at} does not double`,
        severity: 'major',
        rule: `double-${at}`,
      })),
    )
    const { result } = await project.fix()
    return fixers.map((fixer, at) => {
      const end = result.results.find(({ file }) => file === files[at])
      return {
        runner: runner.name,
        isRed,
        fixer,
        isHonest: at >= cheats.length,
        outcome: end?.outcome ?? 'none',
        evidence: end?.evidence ?? null,
        reason: end?.reason ?? '',
      }
    })
  } finally {
    await project.close()
  }
}

/** A cheat that landed. */
export const isFalselyLanded = ({ isHonest, outcome }: Played): boolean => !isHonest && outcome === 'fixed'

/** A true fix that neither landed nor waits for the person whose decision it is. */
export const isLost = ({ isHonest, outcome, fixer }: Played): boolean =>
  isHonest && outcome !== 'fixed' && !(outcome === 'held' && 'mayBeHeld' in fixer)

/** A fix that landed with a test that proves it, but got no credit for the test. */
export const isUnderrated = ({ fixer, outcome, evidence }: Played): boolean =>
  'isProving' in fixer && outcome === 'fixed' && evidence !== 'E3' && evidence !== 'E4'
