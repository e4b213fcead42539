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

/** Those that drive the agents' own programs, which are installed first. */
const agentTests = ['test/contracts/agents-*.test.ts', 'test/e2e/real-agents*.test.ts']

/** The file that takes the longest begins first: at the end, one worker would wait for it alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('/crash-matrix.test.ts')
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          isolate: false,
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          env: temporaryFolder(),
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...agentTests],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'agents',
          include: agentTests,
          globalSetup: 'test/agent-clis/install.ts',
          testTimeout: 120_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/model/**/*.ts', 'src/loop/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 85, functions: 85, branches: 85, statements: 85 },
    },
  },
})
