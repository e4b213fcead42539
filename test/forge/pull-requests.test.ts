import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  makePublishedProject,
  threeFindings,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'

let project: PublishedProject

beforeAll(async () => {
  project = await makePublishedProject()
  await project.import(threeFindings)
  await project.fix()
})
afterAll(() => project.closeAll())

const pulls = async () =>
  (
    await project.forge.ask<
      {
        number: number
        title: string
        body: string
        draft: boolean
        head: { sha: string; ref: string }
        labels: { name: string }[]
      }[]
    >('GET', '/repos/ada/sample/pulls?state=all')
  ).data

describe('pr create', () => {
  it('shows the very texts in a dry run, and writes nothing', async () => {
    const ran = await project.fixpoint('pr', 'create', '--dry-run', '--json')
    expect(ran.stderr).toBe('')
    expect(ran.exitCode).toBe(0)
    const told = ran.json<{ body: string; number: null; pushed: boolean }>()
    expect(told).toMatchObject({
      schema: 'fixpoint.pull-request.v1',
      number: null,
      created: false,
      pushed: false,
      dry_run: true,
    })
    expect(told.body).toContain('## Checklist')
    expect(told.body).toContain('this is out of scope for now')
    expect(told.body).toContain('weak excuse')
    expect(await pulls()).toEqual([])
  })

  it('pushes the branch with its notes and opens a draft; the second time it finds all of it', async () => {
    const ran = await project.fixpoint('pr', 'create', '--json')
    expect(ran.stderr).not.toContain('warning')
    expect(ran.exitCode).toBe(0)
    const told = ran.json<{ number: number; branch: string; head_sha: string }>()
    expect(told).toMatchObject({ created: true, pushed: true, labels: ['fixpoint'] })
    const [pull, ...others] = await pulls()
    expect(others).toEqual([])
    expect(pull).toMatchObject({
      number: told.number,
      draft: true,
      head: { ref: told.branch, sha: told.head_sha },
    })
    expect(pull?.title).toBe('fix: add subtracts and 1 more')
    expect(project.forge.bare.git('notes', '--ref=fixpoint', 'show', told.head_sha)).toContain(
      'fixpoint.evidence.v1',
    )
    const again = await project.fixpoint('pr', 'create', '--json')
    expect(again.json()).toMatchObject({
      number: told.number,
      created: false,
      pushed: false,
      labels: ['fixpoint'],
    })
    expect(await pulls()).toHaveLength(1)
  })
})
