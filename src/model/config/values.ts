import { z } from 'zod'
import { longestTimerMs, parseDuration } from '../duration.ts'

const drive = /^[a-zA-Z]:/
const leavesRepository = (path: string): boolean =>
  /^[/\\~]/.test(path) || drive.test(path) || path.split(/[/\\]/).includes('..') || path.includes('\0')

export const text = z.string().trim().min(1)
const durationError = { error: 'expected a duration such as 15m, 90s or 1h30m' }
export const duration = z
  .string(durationError)
  .refine((written) => parseDuration(written) !== null, durationError)
export const timeout = duration.refine((written) => (parseDuration(written) ?? 0) <= longestTimerMs, {
  error: 'expected 24 days at most',
})
const whole = z.int({
  error: (issue) => (issue.code === 'invalid_type' ? 'expected a whole number' : undefined),
})
export const count = (least: number) => whole.min(least)
export const money = z.number().min(0)
export const path = text.refine((written) => !leavesRepository(written), {
  error: 'expected a path inside the repository: relative to its root, without ".."',
})
const isShareable = (written: string): boolean => {
  const [first] = written.split('/').filter((part) => part !== '' && part !== '.')
  return first !== undefined && first.toLowerCase() !== '.git'
}
export const sharedPath = path.refine(isShareable, {
  error: 'expected a file or folder that git ignores, such as node_modules',
})
export const uniqueNames = (
  items: readonly { readonly name?: unknown }[],
  context: z.RefinementCtx,
): void => {
  const taken = new Set<string>()
  items.forEach((item, index) => {
    const name = item?.name
    if (typeof name !== 'string') return
    const message = `the name "${name}" is taken by an earlier entry`
    if (taken.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message })
    taken.add(name)
  })
}
/** Names are compared even when an entry has other faults, so that all problems are reported at once. */
export const always = { when: ({ value }: { readonly value: unknown }) => Array.isArray(value) }

/** A host that may be reached, with a port where it is not the usual one. */
export const host = text.regex(
  /^(?!-)(?:[a-z0-9_-]+\.)*[a-z0-9_-]+(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/i,
  {
    error: 'expected a host such as example.com or localhost:8080',
  },
)
