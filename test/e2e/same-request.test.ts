import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { bin, commandLineOf, envOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project
afterEach(() => project.close())

it('the same request exits 75 while it runs, and gives the earlier result afterwards', async () => {
  project = await makeProject({
    files: { 'src/a.mjs': 'export const one = () => 2\n' },
    fixer: `while (!fs.existsSync(import.meta.dirname + '/go')) await new Promise((done) => setTimeout(done, 20))
      edit(issue.file, '=> 2', '=> 1')
      return {}`,
    verify: 'node --version',
  })
  await project.import([{ file: 'src/a.mjs', line: 1, title: 'a is wrong', severity: 'major', rule: 'a' }])
  const fixpoint = commandLineOf(project)
  const args = ['fix', 'BE-001', '--yes', '--json']
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: project.root,
    env: envOf(project),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const said = text(child.stdout)
  await expect.poll(() => project.seen().length, { timeout: 200_000 }).toBe(1)

  const second = fixpoint(...args)
  const [session] = await project.app.store.sessions.list(project.app.repository.id, 1)
  expect(second.exitCode).toBe(75)
  expect(second.json()).toMatchObject({ code: 'already_running', details: { session_id: session?.id } })

  writeFileSync(join(project.folder, 'go'), '')
  const [exitCode] = (await once(child, 'exit')) as [number]
  expect([exitCode, (JSON.parse(await said) as { status: string }).status]).toEqual([0, 'completed'])

  const third = fixpoint(...args)
  expect([third.exitCode, third.json()]).toEqual([0, expect.objectContaining({ session_id: session?.id })])
  expect(project.seen()).toHaveLength(2)
  expect(fixpoint(...args, '--force').json()).toMatchObject({ code: 'transition_refused' })
})
