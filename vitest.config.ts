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
  /** Kills a session at every step it records. */
  crash: ['test/e2e/crash-matrix.test.ts', 'test/e2e/crash-random.test.ts'],
  /** Kills and freezes workers and crashes their database, at random. */
  chaos: ['test/e2e/chaos.test.ts'],
  /** Drives the agents' own programs, which are installed first. */
  agents: ['test/contracts/agents-*.test.ts', 'test/e2e/real-agents*.test.ts'],
  /** Tries to break out of the jail; skipped where there can be none. */
  attacks: ['test/attacks/**/*.test.ts'],
  /** Publishes to a GitHub that runs on this machine. */
  forge: ['test/forge/**/*.test.ts'],
  /** Uses the dashboard in a real browser. */
  browser: ['test/web/**/*.test.ts'],
  /** Many more random sessions than `npm test` has time for. */
  fuzz: ['src/loop/session/schedule.test.ts'],
}

const system = {
  env: temporaryFolder(),
  testTimeout: 120_000,
  hookTimeout: 120_000,
  sequence: { groupOrder: 1 },
}

/** The files that took longest begin first: at the end, one worker would wait for them alone. */
const longest = [
  'verification',
  'workspaces-objects',
  'fix',
  'cheats',
  'bad-input',
  'issues-and-sessions',
  'limits',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
      return place === -1 ? longest.length : place
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
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
          testTimeout: 60_000,
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
          testTimeout: 20_000,
          hookTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...Object.values(slowLanes).flat()],
        },
      },
      { extends: true, test: { ...system, name: 'crash', include: slowLanes.crash } },
      {
        extends: true,
        test: {
          ...system,
          name: 'kills',
          include: ['test/e2e/crash-random.test.ts'],
          env: { ...system.env, FIXPOINT_KILLS: process.env['FIXPOINT_KILLS'] ?? '1000' },
        },
      },
      { extends: true, test: { ...system, name: 'chaos', include: slowLanes.chaos } },
      { extends: true, test: { ...system, name: 'attacks', include: slowLanes.attacks } },
      { extends: true, test: { ...system, name: 'forge', include: slowLanes.forge } },
      { extends: true, test: { ...system, name: 'browser', include: slowLanes.browser } },
      {
        extends: true,
        test: {
          ...system,
          name: 'fuzz',
          include: slowLanes.fuzz,
          env: { FIXPOINT_FUZZ_RUNS: '10000' },
        },
      },
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
    ],
    coverage: {
      provider: 'v8',
      include: ['src/model/**/*.ts', 'src/loop/**/*.ts'],
      // What pull requests need is tested by the lane `forge`, on the program itself, where nothing counts it.
      exclude: ['**/*.test.ts', 'src/model/forge/**', 'src/loop/publish/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 85, functions: 85, branches: 85, statements: 85 },
    },
  },
})
