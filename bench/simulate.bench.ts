import type { Figure } from './figure.ts'
import {
  asksPerSecond,
  attemptLookupsPerSecond,
  capacities,
  connectionsPerWorker,
  costs,
  driverLookupsPerSecond,
  idleLookupsPerSecond,
  lostLooksPerSecond,
  sessionLookupsPerSecond,
} from './simulate/costs.ts'
import { simulate, type Outcome, type World } from './simulate/simulate.ts'

export const title = 'Ten thousand repositories, a thousand workers, a million issues, in virtual time'

export const parts = ['small'] as const

const whole: World = {
  repositories: 10_000,
  workers: 1_000,
  issues: 1_000_000,
  issuesPerSession: 20,
  perWorker: 4,
  perRepository: 4,
  concurrency: 4,
  agentMs: 4 * 60_000,
  checkMs: 30_000,
}
const small: World = { ...whole, repositories: 500, workers: 50, issues: 50_000 }

export async function run(part?: string): Promise<readonly Figure[]> {
  const world = part === 'small' ? small : whole
  const begun = performance.now()
  const outcome = await simulate(world)
  const tookS = (performance.now() - begun) / 1_000
  const places = world.workers * world.perWorker
  printOutcome(world, outcome, tookS)
  return [
    { name: 'issues that ended', value: world.issues - outcome.attempts, limit: 0, unit: 'missing' },
    {
      name: 'places left empty while sessions wait',
      value: 100 * (1 - outcome.busy.meanRunning / places),
      limit: 1,
      unit: '%',
    },
    {
      name: 'sessions at once above the places',
      value: Math.max(0, outcome.mostRunning - places),
      limit: 0,
      unit: 'sessions',
    },
    {
      name: 'jobs handed out for each session',
      value: outcome.handOuts / outcome.sessions,
      limit: 6,
      unit: 'jobs',
    },
  ]
}

function printOutcome(world: World, outcome: Outcome, tookS: number): void {
  const hours = outcome.virtualMs / 3_600_000
  const wait = (share: number): string =>
    `${((outcome.waitsMs[Math.floor(outcome.waitsMs.length * share)] ?? 0) / 3_600_000).toFixed(1)} h`
  console.log(
    `  ${outcome.attempts} issues in ${outcome.sessions} sessions took ${hours.toFixed(1)} h (simulated in ${tookS.toFixed(0)} s)`,
  )
  console.log(`  there was work for every place until ${(outcome.busy.ms / 3_600_000).toFixed(1)} h`)
  console.log(`  waiting for a worker: half of the sessions ${wait(0.5)} or less, 95 % ${wait(0.95)} or less`)
  console.log(
    `  when half was done, repositories had between ${outcome.fairness.least} and ${outcome.fairness.most} sessions done`,
  )
  for (const { name, used, capacity, unit, grows } of loadsOf(world, outcome)) {
    const share = used / capacity
    const breaks = Math.floor(
      world.workers / (grows === 'with the square of workers' ? Math.sqrt(share) : share),
    )
    console.log(
      `  ${name.padEnd(34)} ${used.toFixed(0)} of ${capacity} ${unit} (${(100 * share).toFixed(0)} %): full at ${breaks} workers`,
    )
  }
}

interface Load {
  readonly name: string
  readonly used: number
  readonly capacity: number
  readonly unit: string
  readonly grows?: 'with the square of workers'
}

/** The load of each shared part while all workers are busy; the part that is full first breaks first. */
export function loadsOf(world: World, outcome: Outcome): readonly Load[] {
  const { ms, sessions, meanRunning: running } = outcome.busy
  const sessionsPerSecond = sessions / (ms / 1_000)
  const attemptsPerSecond = sessionsPerSecond * world.issuesPerSession
  // Each job is told to all workers, and each of them that has a free place asks for it; here all have one.
  const toldPerSecond = attemptsPerSecond + sessionsPerSecond * (outcome.handOuts / outcome.sessions)
  const asks = world.workers * (asksPerSecond + toldPerSecond) * costs.askMs
  const records = attemptsPerSecond * costs.stepsPerAttempt * costs.recordMs
  const lookups = (world.workers * idleLookupsPerSecond + running * sessionLookupsPerSecond) * costs.lookupMs
  const leases =
    running * (world.concurrency * attemptLookupsPerSecond + driverLookupsPerSecond) * costs.lookupMs
  const lists = (world.workers * lostLooksPerSecond + 1 + 1 / 5) * (running / 1_000) * costs.listThousandMs
  const { connections, databaseMsPerSecond, bucketPutsPerSecond } = capacities
  const loads: readonly Load[] = [
    {
      name: 'connections, without a pooler',
      used: world.workers * connectionsPerWorker,
      capacity: connections,
      unit: 'connections',
    },
    { name: 'database: recording steps', used: records, capacity: databaseMsPerSecond, unit: 'ms/s' },
    { name: 'database: asking for wishes', used: lookups, capacity: databaseMsPerSecond, unit: 'ms/s' },
    { name: 'database: looking at leases', used: leases, capacity: databaseMsPerSecond, unit: 'ms/s' },
    {
      name: 'database: asking the queue',
      used: asks,
      capacity: databaseMsPerSecond,
      unit: 'ms/s',
      grows: 'with the square of workers',
    },
    {
      name: 'database: looking for lost sessions',
      used: lists,
      capacity: databaseMsPerSecond,
      unit: 'ms/s',
      grows: 'with the square of workers',
    },
    {
      name: 'bucket: objects written',
      used: attemptsPerSecond * costs.artifactsPerAttempt,
      capacity: bucketPutsPerSecond,
      unit: 'puts/s',
    },
  ]
  return loads.toSorted((a, b) => b.used / b.capacity - a.used / a.capacity)
}
