import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { bin, commandLineOf, envOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project
afterEach(() => project.close())

interface Answer {
  readonly exitCode: number
  readonly said: {
    readonly session_id?: string
    readonly status?: string
    readonly code?: string
    readonly details?: { readonly session_id?: string }
  }
}

/** Starts the real command, and gives its answer when it has ended. */
async function start(...args: string[]): Promise<Answer> {
  const child = spawn(process.execPath, [bin, ...args, '--yes', '--json'], {
    cwd: project.root,
    env: envOf(project),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const said = text(child.stdout)
  const [exitCode] = (await once(child, 'exit')) as [number]
  return { exitCode, said: JSON.parse(await said) as Answer['said'] }
}

const sessionsOf = (p: Project) => p.app.store.sessions.list(p.app.repository.id, 100)

async function twoIssues(fixer: string): Promise<Project> {
  const p = await makeProject({
    files: { 'src/a.mjs': 'export const a = 2\n', 'src/b.mjs': 'export const b = 2\n' },
    fixer,
    verify: 'true',
    config: 'challenge: { enabled: false }\nfix: { max_rounds: 1 }',
  })
  await p.import(
    ['a', 'b'].map((name) => ({
      file: `src/${name}.mjs`,
      line: 1,
      title: `${name} is wrong`,
      severity: 'major',
      rule: name,
    })),
  )
  return p
}

/** An agent that works only once the file `go` is there. */
const waits =
  "while (!fs.existsSync(import.meta.dirname + '/go')) await new Promise((done) => setTimeout(done, 20))\n"
const fixes = "edit(issue.file, '= 2', '= 1'); return {}"
/** An agent that crashes while the file `broken` is there. */
const breaks = "if (fs.existsSync(import.meta.dirname + '/broken')) process.exit(1)\n"

describe('the same request', () => {
  it(
    'from 20 processes at once makes one session; the others are told which',
    { timeout: 600_000 },
    async () => {
      project = await twoIssues(waits + fixes)
      // The order of the ids must not matter.
      const orders = [
        ['BE-001', 'BE-002'],
        ['BE-002', 'BE-001'],
      ]
      let ended = 0
      const running = Array.from({ length: 20 }, async (_, index) => {
        const answer = await start('fix', ...(orders[index % 2] ?? []))
        ended += 1
        return answer
      })
      await expect.poll(() => ended, { timeout: 280_000, interval: 50 }).toBe(19)
      writeFileSync(join(project.folder, 'go'), '')
      const answers = await Promise.all(running)
      const [session, ...others] = await sessionsOf(project)
      expect(others).toEqual([])
      expect(answers.filter(({ exitCode }) => exitCode === 0).map(({ said }) => said.session_id)).toEqual([
        session?.id,
      ])
      expect(answers.filter(({ exitCode }) => exitCode !== 0)).toEqual(
        Array.from({ length: 19 }, () => ({
          exitCode: 75,
          said: expect.objectContaining({ code: 'already_running', details: { session_id: session?.id } }),
        })),
      )
      expect(project.seen()).toHaveLength(2)
      const branches = project.git('branch', '--list', 'fix/*').split('\n')
      expect(branches).toHaveLength(1)
    },
  )

  it(
    'is allowed again after a failure, and gives the earlier result after a success',
    { timeout: 600_000 },
    async () => {
      project = await twoIssues(breaks + fixes)
      const broken = join(project.folder, 'broken')
      writeFileSync(broken, '')
      const failed = await start('fix', 'BE-001', 'BE-002')
      expect([failed.exitCode, failed.said.status]).toEqual([1, 'failed'])
      rmSync(broken)

      const second = await start('fix', 'BE-002', 'BE-001')
      expect([second.exitCode, second.said.status]).toEqual([0, 'completed'])
      expect(second.said.session_id).not.toBe(failed.said.session_id)
      const runs = project.seen().length

      const third = await start('fix', 'BE-001', 'BE-002')
      expect([third.exitCode, third.said.session_id]).toEqual([0, second.said.session_id])
      expect(project.seen()).toHaveLength(runs)
      expect(await sessionsOf(project)).toHaveLength(2)
    },
  )

  it(
    'is begun anew with --force, once a killed process has left it behind',
    { timeout: 600_000 },
    async () => {
      project = await twoIssues(waits + fixes)
      const child = spawn(process.execPath, [bin, 'fix', 'BE-001', '--yes', '--json'], {
        cwd: project.root,
        env: envOf(project),
        stdio: 'ignore',
      })
      await expect.poll(() => project.seen().length, { timeout: 600_000 }).toBe(1)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const [left] = await sessionsOf(project)
      const refused = await start('fix', 'BE-001')
      expect([refused.exitCode, refused.said.details]).toEqual([75, { session_id: left?.id }])

      writeFileSync(join(project.folder, 'go'), '')
      const forced = await start('fix', 'BE-001', '--force')
      expect([forced.exitCode, forced.said.status]).toEqual([0, 'completed'])
      const [newest, old] = await sessionsOf(project)
      expect([newest?.id, old?.id, old?.status]).toEqual([forced.said.session_id, left?.id, 'cancelled'])
      expect(readdirSync(join(project.home, 'workspaces'))).toEqual([])
      expect(commandLineOf(project)('fix', 'BE-001', '--yes', '--json').json()).toMatchObject({
        session_id: forced.said.session_id,
      })
    },
  )
})
