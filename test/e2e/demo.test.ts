import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionResult } from '../../src/model/session/session-result.ts'

const launcher = fileURLToPath(new URL('../../bin/fixpoint.js', import.meta.url))
const demoTimeoutMs = 600_000

let machine: string
let children: ChildProcess[]

beforeEach(() => {
  machine = realpathSync(mkdtempSync(join(tmpdir(), 'fixpoint-test-')))
  mkdirSync(join(machine, 'home'))
  mkdirSync(join(machine, 'tmp'))
  children = []
})
afterEach(() => {
  children
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .forEach((child) => child.kill('SIGKILL'))
  rmSync(machine, { recursive: true, force: true, maxRetries: 5 })
})

/** The demo on a machine with Node and git, an empty HOME, and nothing else. */
function startDemo(...args: readonly string[]) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(machine, 'home'),
    TMPDIR: join(machine, 'tmp'),
    BROWSER: join(machine, 'browser'),
  }
  const child = spawn(process.execPath, [launcher, 'demo', ...args], {
    env,
    cwd: machine,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text))
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, ...said }))
  return { child, ended }
}

const leftovers = (): readonly string[] => [
  ...readdirSync(join(machine, 'tmp')),
  ...readdirSync(join(machine, 'home')),
]

interface Demo {
  readonly schema: string
  readonly session: SessionResult
  readonly seconds: number
  readonly log: readonly string[]
}

describe('fixpoint demo', () => {
  it(
    'lands one commit per proven fix, refuses one with the failing test, and leaves nothing behind',
    { timeout: demoTimeoutMs },
    async () => {
      const { exitCode, stdout, stderr } = await startDemo('--json').ended
      expect(stderr).not.toContain('not as intended')
      expect(exitCode).toBe(0)
      const demo = JSON.parse(stdout) as Demo
      expect(demo).toMatchObject({
        schema: 'fixpoint.demo.v1',
        session: { schema: 'fixpoint.session.v1', status: 'partial', resumable: false },
      })
      expect(demo.seconds).toBeGreaterThan(0)

      const ended = (outcome: string) => demo.session.results.filter((issue) => issue.outcome === outcome)
      expect(demo.log.map((line) => line.replace(/^.*\[(.*)\]$/, '$1')).toSorted()).toEqual(
        ended('fixed')
          .map(({ issue_code }) => issue_code)
          .toSorted(),
      )
      expect([ended('fixed').length, ended('refused').length, ended('needs_agent').length]).toEqual([8, 1, 1])
      expect(new Set(ended('fixed').map(({ commit_sha }) => commit_sha)).size).toBe(8)

      const [refused] = ended('refused')
      expect(refused).toMatchObject({ file: 'src/inventory.mjs', commit_sha: null })
      expect(refused?.rounds[0]?.verification?.commands[0]).toMatchObject({
        status: 'failed',
        output: expect.stringContaining('an order beyond the stock goes on back order'),
      })
      expect(leftovers()).toEqual([])
    },
  )

  it(
    'tells it in a page of text, and keeps the repository when asked to',
    { timeout: demoTimeoutMs },
    async () => {
      const { exitCode, stdout, stderr } = await startDemo('--keep').ended
      expect(exitCode).toBe(0)
      expect(stdout.split('\n').length).toBeLessThan(65)
      for (const expected of ['goes on back order', 'throw new Error', 'git log'])
        expect(stdout).toContain(expected)
      // Commands alone: not every shell knows comments at its prompt.
      const commands = [...stdout.matchAll(/^ {2}\S+ \S*fixpoint\.js (.*)$/gm)].map(([, command]) => command)
      expect(commands).toEqual(['init', 'review', 'fix --all', 'serve --open'])
      const kept = /kept in (.+)$/m.exec(stderr)?.[1] ?? ''
      expect(existsSync(join(kept, '.git'))).toBe(true)
    },
  )

  it(
    'opens its session, which may be tried again, and removes its folder on Ctrl-C',
    { timeout: demoTimeoutMs },
    async () => {
      const seen = join(machine, 'seen')
      writeFileSync(
        join(machine, 'browser'),
        `#!/bin/sh\nprintf %s "$1" > ${seen}.part && mv ${seen}.part ${seen}\n`,
        {
          mode: 0o755,
        },
      )
      const { child, ended } = startDemo('--open')
      await expect.poll(() => existsSync(seen), { timeout: 60_000 }).toBe(true)
      const { origin, pathname, hash } = new URL(readFileSync(seen, 'utf8'))
      expect(pathname).toMatch(/^\/sessions\/ses_\w+$/)
      const headers = { authorization: `Bearer ${hash.replace('#token=', '')}` }
      const ask = async (path: string) => (await fetch(`${origin}${path}`, { headers })).json()
      const { repositories } = (await ask('/api/repositories')) as { repositories: readonly { id: string }[] }
      expect(await ask(`/api/repositories/${repositories[0]?.id}`)).toMatchObject({ trusted: true })
      child.kill('SIGINT')
      expect(await ended).toMatchObject({ exitCode: 130 })
      expect(leftovers()).toEqual([])
    },
  )
})
