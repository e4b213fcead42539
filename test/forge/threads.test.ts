import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPullRequest } from '../../src/app/forge/create-pull-request.ts'
import { importAlerts, importThreads, uploadSarif } from '../../src/app/forge/import-from-forge.ts'
import { makePublishedProject, type PublishedProject } from '../fixtures/forge/published-project.ts'

let project: PublishedProject
beforeAll(async () => {
  project = await makePublishedProject()
})
afterAll(() => project.closeAll())

const issues = async () =>
  (await project.app.store.issues.list({ repositoryId: project.app.repository.id, limit: 50 })).issues

it('open threads become issues; a fix that was pushed is told in its thread once, and resolves it when asked to', async () => {
  const { extras } = project.forge
  project.forge.bare.git('update-ref', 'refs/heads/feature', 'main')
  await project.forge.follow()
  const { data } = await project.forge.ask<{ number: number }>('POST', '/repos/ada/sample/pulls', {
    title: 'A feature',
    head: 'feature',
    base: 'main',
  })
  const pull = data.number
  const asked = extras.addComment({
    pull,
    path: 'src/add.js',
    line: 1,
    start_line: null,
    author: 'bob',
    body: 'Major: this subtracts.\n```suggestion\nexport const add = (a, b) => a + b\n```',
  })
  extras.addComment({ ...asked, body: 'I agree.', author: 'eve' })
  const settled = extras.addComment({
    pull,
    path: 'src/half.js',
    line: 1,
    start_line: null,
    author: 'bob',
    body: 'Settled.',
  })
  extras.resolved.add(settled.thread)
  expect(await importThreads(project.app, String(pull))).toMatchObject({
    findings: 1,
    created: 1,
    format: 'github',
  })
  const [issue] = await issues()
  expect(issue).toMatchObject({
    file: 'src/add.js',
    line: 1,
    severity: 'major',
    flagged_by: ['bob'],
    suggested_fix: 'export const add = (a, b) => a + b',
    references: [asked.html_url],
  })
  expect(issue?.description).toContain('eve: I agree.')
  // A second import of the same threads changes nothing.
  expect(await importThreads(project.app, String(pull))).toMatchObject({ created: 0 })
  await project.fix()
  await createPullRequest(project.app, {})
  const replies = () => extras.comments.filter(({ thread }) => thread === asked.thread).slice(2)
  expect(replies()).toHaveLength(1)
  expect(replies()[0]?.body).toMatch(/Fixed in [0-9a-f]{40} \(BE-001\)/)
  expect(extras.resolved.has(asked.thread)).toBe(false)
  await createPullRequest(project.app, { isResolving: true })
  expect(replies()).toHaveLength(1)
  expect(extras.resolved.has(asked.thread)).toBe(true)
})

it("GitHub's alerts come in, and our SARIF goes out for a commit that GitHub has", async () => {
  const { extras } = project.forge
  const alert = {
    number: 1,
    html_url: `${project.forge.url}/ada/sample/security/code-scanning/1`,
    state: 'open' as const,
    tool: { name: 'CodeQL' },
  }
  extras.alerts.push({
    ...alert,
    rule: {
      id: 'js/unsafe-parse',
      description: 'Unsafe parse',
      severity: 'error',
      security_severity_level: 'critical',
    },
    most_recent_instance: {
      message: { text: 'Text is parsed unchecked.' },
      location: { path: 'src/load.js', start_line: 1, end_line: 1 },
    },
  })
  expect(await importAlerts(project.app)).toMatchObject({ findings: 1, created: 1 })
  expect((await issues()).find(({ rule }) => rule === 'js/unsafe-parse')).toMatchObject({
    severity: 'critical',
    flagged_by: ['CodeQL'],
    references: [alert.html_url],
  })
  const sarif = JSON.stringify({
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'fixpoint' } }, results: [] }],
  })
  expect(await uploadSarif(project.app, sarif)).toMatchObject({ ref: 'refs/heads/main' })
  expect(extras.uploads).toHaveLength(1)
  project.write({ 'new.txt': 'not pushed\n' })
  project.commitAll('not pushed')
  await expect(uploadSarif(project.app, sarif)).rejects.toThrow(/uploading SARIF/)
})
