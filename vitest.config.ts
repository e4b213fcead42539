import { existsSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// System tests often wait for the processes they start, so one worker more than there are cores pays.
const maxWorkers = availableParallelism() + 1

/** Thousands of small repositories are made and deleted: in memory, where there is room, that takes a fraction of the time. */
function temporaryFolder(): Record<string, string> {
  const memory = '/dev/shm'
  const roomBytes = 4 * 1024 ** 3
  if (process.env['TMPDIR'] || !existsSync(memory)) return {}
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > roomBytes ? { TMPDIR: memory } : {}
}

/** The slow lanes: scripts of their own (`npm run test:NAME`), which CI runs after `npm test`. */
const slowLanes = {
  /** Cheats, true fixes and what proves them, before every gate. */
  judge: filesOf('e2e', [
    'affected-blind',
    'affected-runners',
    'borrowed-proof',
    'cheats',
    'gate-sample',
    'judge-can-fail',
    'new-gate',
    'seed-004',
    'true-fixes',
    'verification',
    'verify',
    'verify-strategies',
  ]),
  /** Long sessions: many issues and repositories, budgets, landing in every order. */
  sessions: filesOf('e2e', [
    'approvals',
    'check-ahead',
    'landing',
    'limits',
    'redaction',
    'same-repository',
    'until-clean',
  ]),
  /** The package as a stranger meets it: the demo, the launcher, the examples, the library. */
  package: filesOf('e2e', ['demo', 'examples', 'launcher', 'library', 'own-agents']),
  /** Several workers on one PostgreSQL, which the tests start. */
  postgres: [
    ...filesOf('contracts', ['queue', 'store-postgres']),
    ...filesOf('e2e', [
      'attempt-workers',
      'backup',
      'chaos',
      'crash-workers',
      'fairness',
      'postgres',
      'review-workers',
      'stalled-database',
      'strange-machines',
      'worker-refusals',
      'workers',
    ]),
  ],
  /** Kills a session at every kind of step it records, fills its disk, takes its lease away. */
  crash: filesOf('e2e', [
    'clock-jumps',
    'crash',
    'crash-checker',
    'crash-landing',
    'crash-matrix',
    'crash-random',
    'disk-full',
    'fencing',
    'stopping',
  ]),
  /** Drives the agents' own programs, which are installed first. */
  agents: ['test/contracts/agents-*.test.ts', 'test/e2e/real-agents*.test.ts'],
  /** Tries to break out of the jail; skipped where there can be none. */
  attacks: ['test/attacks/**/*.test.ts'],
  /** Publishes to a GitHub that runs on this machine. */
  forge: ['test/forge/**/*.test.ts'],
  /** Uses the dashboard in a real browser. */
  browser: ['test/web/**/*.test.ts'],
}

/** What takes too long even for CI, and has more to try whenever it is asked. */
const endlessLanes = {
  /** Kills and freezes workers and crashes their database, at random. */
  chaos: filesOf('e2e', ['chaos']),
  /** Kills sessions at random moments over all strategies, and one at every step it records. */
  kills: filesOf('e2e', ['crash-matrix', 'crash-random', 'crash-workers']),
  /** Many more random sessions than `npm test` has time for. */
  fuzz: ['src/loop/session/schedule.test.ts'],
}

function filesOf(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `test/${folder}/${name}.test.ts`)
}

const system = {
  env: temporaryFolder(),
  // What a file imports stays loaded for the next one: that saves a second of processor time for each.
  isolate: false,
  testTimeout: 600_000,
  hookTimeout: 600_000,
  sequence: { groupOrder: 1 },
}

/**
 * The files that took longest begin first: at the end, one worker would wait for them alone. The others follow lane by lane,
 * because a worker goes on with what it has loaded only in the lane that it is in.
 */
const longest = [
  'dashboard',
  'all-day',
  'paths',
  'new-formats',
  'crash-matrix',
  'real-agents-failures',
  'real-agents',
  'real-agents-conversations',
  'agents-gemini',
  'crash-random',
  'agents-claude',
  'bad-input',
  'issues-and-sessions',
  'fix',
  'reproduce',
  'gate-sample',
  'server-events',
  'cheats',
  'verify',
  'trust',
  'redaction',
  'strategies',
  'limits',
  'verification',
  'review-workers',
  'attempt-workers',
  'preflight',
  'idempotency',
  'demo',
  'fencing',
  'true-fixes',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
      return place === -1 ? longest.length : place
    }
    const laneOf = ({ project }: TestSpecification): string => project.name
    return (await super.sort(files)).toSorted(
      (a, b) => rank(a) - rank(b) || laneOf(a).localeCompare(laneOf(b)),
    )
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/progress-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          setupFiles: 'test/fixed-seed.ts',
          isolate: false,
          testTimeout: 120_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: ['web/src/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          setupFiles: 'web/test/prepare-page.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...Object.values({ ...slowLanes, ...endlessLanes }).flat()],
        },
      },
      ...(['judge', 'sessions', 'package', 'postgres', 'crash', 'attacks', 'forge', 'browser'] as const).map(
        (name) => ({ extends: true as const, test: { ...system, name, include: slowLanes[name] } }),
      ),
      {
        extends: true,
        test: {
          ...system,
          // Codex makes nothing that it needs below the folder for temporary files, so that must not be the tests' own.
          env: {},
          name: 'agents',
          include: slowLanes.agents,
          globalSetup: 'test/agent-clis/install.ts',
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'chaos',
          include: endlessLanes.chaos,
          env: {
            ...system.env,
            FIXPOINT_BLOWS: process.env['FIXPOINT_BLOWS'] ?? '24',
            FIXPOINT_REPOSITORIES: process.env['FIXPOINT_REPOSITORIES'] ?? '10',
            FIXPOINT_ISSUES: process.env['FIXPOINT_ISSUES'] ?? '20',
            FIXPOINT_SESSION_ISSUES: '5',
            FIXPOINT_SEED: process.env['FIXPOINT_SEED'] ?? String(Date.now() % 100_000),
          },
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'kills',
          include: endlessLanes.kills,
          env: {
            ...system.env,
            FIXPOINT_KILLS: process.env['FIXPOINT_KILLS'] ?? '1000',
            FIXPOINT_CRASH_POINTS: 'all',
          },
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'fuzz',
          include: endlessLanes.fuzz,
          env: { FIXPOINT_FUZZ_RUNS: '10000' },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/model/**/*.ts', 'src/loop/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      thresholds: { lines: 85, functions: 85, branches: 85, statements: 85 },
    },
  },
})
