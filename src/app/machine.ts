import { createHash } from 'node:crypto'
import { v7 } from 'uuid'
import type { Clock, Hash, Ids } from '../loop/ports.ts'

export const clock: Clock = { now: () => Date.now() }

/** Ids of one process ascend, also within a millisecond. */
export const ids: Ids = { next: (prefix) => `${prefix}_${v7().replaceAll('-', '')}` }

export const hash: Hash = (text) => createHash('sha256').update(text).digest('hex')
