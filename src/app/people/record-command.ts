import { hostname, userInfo } from 'node:os'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Store } from '../../adapters/store/index.ts'
import { asFault, exitCodeOf } from '../../model/fault.ts'
import { openHome } from '../home.ts'
import { clock, ids } from '../machine.ts'
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

export interface ChangingCommand {
  readonly env: Variables
  /** `fixpoint cancel` */
  readonly action: string
  /** What it was given. */
  readonly request: string
}

/** Runs a command that changes something, and writes down who ran it before it does anything. */
export async function recordCommand(
  { env, action, request }: ChangingCommand,
  run: () => Promise<number>,
): Promise<number> {
  const id = ids.next('aud')
  const end = (outcome: number) => withStore(env, ({ audit }) => audit.end(id, outcome))
  await withStore(env, ({ audit }) =>
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
  const code = await run().catch(async (error: unknown) => {
    await end(exitCodeOf(asFault(error).code))
    throw error
  })
  await end(code)
  return code
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
