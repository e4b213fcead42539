import { hostname, userInfo } from 'node:os'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Store } from '../../adapters/store/index.ts'
import { asFault, exitCodeOf } from '../../model/fault.ts'
import { openHome } from '../home.ts'
import { clock, ids } from '../machine.ts'
import type { App } from '../open-app.ts'
import { openStore } from '../open-store.ts'

/** Whoever runs a command, as the record of changes names them. */
export const commandPerson = (): string => `${userName()}@${hostname()}`

/** In containers a user may be a number alone. */
function userName(): string {
  try {
    return userInfo().username
  } catch (error) {
    if (error instanceof Error && 'code' in error) return `user ${String(process.getuid?.())}`
    throw error
  }
}

interface PersonsChange {
  /** `fixpoint cancel` */
  readonly action: string
  /** What it was given. */
  readonly request: string
}

/** Runs a command that changes something, and writes down who ran it before it does anything. */
export const recordCommand = (
  { env, ...change }: PersonsChange & { readonly env: Variables },
  run: () => Promise<number>,
): Promise<number> =>
  record({ ...change, withAudit: (use) => withStore(env, ({ audit }) => use(audit)), codeOf: Number }, run)

/** Runs a change that a command makes for somebody while it runs, such as an answer by key; recorded where several people work. */
export const recordPersonsChange = <Value>(
  { env, store }: Pick<App, 'env' | 'store'>,
  change: PersonsChange,
  run: () => Promise<Value>,
): Promise<Value> =>
  env['FIXPOINT_DATABASE']
    ? record({ ...change, withAudit: (use) => use(store.audit), codeOf: () => 0 }, run)
    : run()

interface Recording<Value> extends PersonsChange {
  readonly withAudit: (use: (audit: Store['audit']) => Promise<void>) => Promise<void>
  /** The exit code that a result stands for. */
  readonly codeOf: (value: Value) => number
}

async function record<Value>(
  { action, request, withAudit, codeOf }: Recording<Value>,
  run: () => Promise<Value>,
): Promise<Value> {
  const id = ids.next('aud')
  const end = (outcome: number) => withAudit((audit) => audit.end(id, outcome))
  await withAudit((audit) =>
    audit.begin({
      id,
      at: new Date(clock.now()).toISOString(),
      person: commandPerson(),
      role: null,
      token_id: null,
      address: 'command line',
      action,
      repository_ids: [],
      request,
      outcome: null,
    }),
  )
  const value = await run().catch(async (error: unknown) => {
    await end(exitCodeOf(asFault(error).code))
    throw error
  })
  await end(codeOf(value))
  return value
}

/** Opens the store only meanwhile: a session must not hold a second one open all the time. */
export async function withStore<Value>(
  env: Variables,
  use: (store: Store) => Promise<Value>,
): Promise<Value> {
  const store = await openStore(openHome(env), env)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
