/** What each thing may take of the shared parts at most. */
export const costs = {
  /** One recorded step over PostgreSQL, row and events: what it may take on loopback. */
  recordMs: 3,
  /** One lookup by a key over PostgreSQL, such as whether somebody wants a session to stop. */
  lookupMs: 0.2,
  /** Listing the running sessions, per thousand of them. */
  listThousandMs: 2,
  /** Steps that one attempt records from its start to its landing. */
  stepsPerAttempt: 9,
  /** Bytes of artifacts that one attempt writes. */
  artifactBytesPerAttempt: 150_000,
  /** Objects that one attempt writes. */
  artifactsPerAttempt: 5,
} as const

/** What a worker asks of the database whether it has work or not: signs of life, leases, chores that it may claim. */
export const idleLookupsPerSecond = 1 / 2 + 1 / 2 + 1 + 1 + 1 / 5
/** What each running session asks: whether somebody wants something of it, twice a second, two lookups each. */
export const sessionLookupsPerSecond = 4
/** What each attempt at work asks: what its driver wants of it, and whether it is still its worker's. */
export const attemptLookupsPerSecond = 2
/** What each driver asks while nothing is written: how far the attempts are that it gave out. */
export const driverLookupsPerSecond = 1
/** Connections that a worker keeps: its pool under load, the queue's, and the one that listens. */
export const connectionsPerWorker = 8 + 4 + 1
/** What each worker reads every five seconds: the sessions that run, to find those that it lost. */
export const lostLooksPerSecond = 1 / 5

/** What one part of the system can do. */
export const capacities = {
  /** Milliseconds of database work in a second: eight cores, half of them for this. */
  databaseMsPerSecond: 4_000,
  /** `max_connections` of a PostgreSQL without a pooler before it. */
  connections: 500,
  /** Requests that one prefix of a bucket takes in a second. */
  bucketPutsPerSecond: 3_500,
} as const
