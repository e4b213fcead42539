import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runFix } from '../../src/cli/commands/sessions/fix.ts'
import { createOutput } from '../../src/cli/command/output.ts'
import { makeProject } from '../fixtures/project.ts'

const files = {
  'src/a.mjs': 'export const a = (x, y) => x - y\n',
  'test/a.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { a } from '../src/a.mjs'
test('adds nothing', () => assert.equal(a(0, 0), 0))
`,
}

const mostFrames = 8
const quiet = () => true

/** Every event asks for its time as it is made; the stacks of those moments, awaiting callers included. */
async function stacksOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const { toISOString } = Date.prototype
  const { stackTraceLimit } = Error
  const stacks: string[] = []
  Error.stackTraceLimit = Number.POSITIVE_INFINITY
  Date.prototype.toISOString = function timed(this: Date) {
    stacks.push(new Error('here').stack ?? '')
    return toISOString.call(this)
  }
  try {
    await work()
    return stacks
  } finally {
    Date.prototype.toISOString = toISOString
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The functions of `src` from the command down to the attempt. */
function framesOf(stack: string): readonly string[] {
  const frames = stack
    .split('\n')
    .filter((line) => line.includes('/src/'))
    .map((line) => /at (?:async )?(?:Object\.)?(\S+)(?: \[as \S+\])? \(/.exec(line)?.[1] ?? 'anonymous')
    .toReversed()
  return frames.slice(0, frames.indexOf('runAttempt') + 1)
}

it(
  'a command reaches the attempt in as few calls as ARCHITECTURE.md says, and in no more than eight',
  { timeout: 200_000 },
  async () => {
    const project = await makeProject({ files, fixer: "edit('src/a.mjs', 'x - y', 'x + y')\nreturn {}" })
    try {
      await project.import([
        { file: 'src/a.mjs', line: 1, title: 'a is wrong', severity: 'major', rule: 'a' },
      ])
      const env = { ...project.env, FIXPOINT_HOME: project.home }
      const output = { ...createOutput('json', { ...process, env }), result: quiet, say: quiet }
      const stacks = await stacksOf(() =>
        runFix(
          { cwd: project.root, env, output, version: '1.0.0' },
          { codes: [], all: true, yes: true, maxPasses: '3' },
        ),
      )
      const ways = stacks.map(framesOf).toSorted((a, b) => b.length - a.length)
      const walk = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8')
      const written = /`(runFix → .* → runAttempt)`/.exec(walk)?.[1]
      expect(ways[0]?.join(' → ')).toBe(written)
      expect(ways[0]?.length).toBeLessThanOrEqual(mostFrames)
    } finally {
      await project.close()
    }
  },
)
