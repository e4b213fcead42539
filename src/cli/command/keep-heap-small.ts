import { setFlagsFromString } from 'node:v8'

/**
 * Lets the space for new objects grow no further. V8 gives it up to a hundred megabytes once many objects are made in
 * a short time, though they are dropped at once, and never takes them back.
 */
export const keepHeapSmall = (): void => setFlagsFromString('--semi-space-growth-factor=1')
