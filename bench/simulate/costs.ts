/** The most that each thing may take of the shared parts. */
export const costs = {
  /** The most that one recorded step, row and events, may take over PostgreSQL on loopback. */
  recordMs: 3,
  /** The most that one lookup by a key may take over PostgreSQL, such as the question whether a session should stop. */
  lookupMs: 0.2,
  /** The time that asking the queue takes when nothing waits there. */
  askMs: 0.4,
  /** The time to list the running sessions, per thousand of them. */
  listThousandMs: 2,
  /** Steps that one attempt records from its start to its landing. */
  stepsPerAttempt: 9,
  /** Bytes of artifacts that one attempt writes. */
  artifactBytesPerAttempt: 150_000,
  /** Objects that one attempt writes. */
  artifactsPerAttempt: 5,
} as const

/** Lookups of a worker, with or without work: signs of life, leases, and chores that it may claim. */
export const idleLookupsPerSecond = 1 / 2 + 1 / 2 + 1 + 1 + 1 / 5
/** How often a worker asks the queue by itself: every two seconds for sessions, and for attempts. */
export const asksPerSecond = 1
/** Lookups of each running session: it asks twice a second what people want of it, with two lookups each. */
export const sessionLookupsPerSecond = 4
/** Lookups of each attempt at work: the wishes of its driver, and whether the attempt still belongs to its worker. */
export const attemptLookupsPerSecond = 2
/** Lookups of each driver while nothing is written: the progress of the attempts that it gave out. */
export const driverLookupsPerSecond = 1
/** Connections that a worker keeps: its pool under load, the queue's, and the one that listens. */
export const connectionsPerWorker = 8 + 4 + 1
/** Every five seconds each worker lists the running sessions, to find those that it lost. */
export const lostLooksPerSecond = 1 / 5

/** The capacity of each part of the system. */
export const capacities = {
  /** Milliseconds of database work in a second: eight cores, half of them for this. */
  databaseMsPerSecond: 4_000,
  /** `max_connections` of a PostgreSQL without a pooler before it. */
  connections: 500,
  /** Requests that one prefix of a bucket takes in a second. */
  bucketPutsPerSecond: 3_500,
} as const
