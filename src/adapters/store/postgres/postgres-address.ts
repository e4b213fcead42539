import { Fault } from '../../../model/fault.ts'

/** The address of a database without user and password, for messages. */
export function describePostgres(url: string): string {
  if (!URL.canParse(url))
    throw new Fault('usage', 'FIXPOINT_DATABASE is no address of a database', {
      hint: 'Write it as postgres://user:password@host:5432/name',
    })
  const { hostname, port, pathname } = new URL(url)
  return `postgres://${hostname}${port && `:${port}`}${pathname}`
}
