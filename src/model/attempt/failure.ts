import type { Verification } from '../proof/verification.ts'
import type { Round } from './round.ts'

/** Parts that differ between two runs that failed in the same way: times, places in memory, temporary names, line numbers. */
const noise: readonly (readonly [RegExp, string])[] = [
  // oxlint-disable-next-line no-control-regex -- colour codes are what is meant
  [/\u001B\[[0-9;]*m/g, ''],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d\b/g, '<time>'],
  [/\b(?:duration_ms:? )?\d+(?:\.\d+)? ?(?:ms|s|sec|seconds|µs)\b/g, '<duration>'],
  [/\bduration_ms:? \d+(?:\.\d+)?/g, '<duration>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [/(?:file:\/\/)?(?:\/[\w.@+-]+)+\/(?=[\w.@+-]*)/g, '<folder>/'],
  [/:\d+(?::\d+)?\b/g, ':<line>'],
]

/** Equal for two verifications that failed in the same way. Null when nothing was said that could be compared. */
function failureKey(verification: Verification): string | null {
  const failed = verification.commands.filter((command) => command.status !== 'passed')
  if (failed.every(({ output }) => output.trim() === '')) return null
  return JSON.stringify(
    failed.map(({ name, status, exit_code, output }) => [
      name,
      status,
      exit_code,
      noise.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), output),
    ]),
  )
}

/** The round that failed in the same way. */
export function sameFailure(rounds: readonly Round[], verification: Verification): Round | undefined {
  const key = failureKey(verification)
  return rounds.find((round) => key !== null && round.verification && failureKey(round.verification) === key)
}
