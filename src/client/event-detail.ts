import type { FixEvent } from '../model/session/event.ts'

/** What an event says beside its message, in the form that our own server gives it. */
export const detail = <Value>({ details }: FixEvent, name: string): Value | undefined =>
  details[name] as Value | undefined
