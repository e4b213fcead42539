import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { envOf } from '../fixtures/command-line.ts'
import {
  makePublishedProject,
  threeFindings,
  threeMistakes,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'
import { startTestServer, type TestServer } from '../fixtures/server.ts'
import { buildDashboard, launchBrowser, logIn, openPage, axeViolations } from './browser.ts'
import { eventually } from './dashboard.ts'

/** A voter that waits until it is released. */
const voter = (score: number) => `
  while (!fs.existsSync(new URL('./vote', import.meta.url))) await new Promise((done) => setTimeout(done, 20))
  console.log(JSON.stringify({ score: ${score}, summary: 'Reads well.', findings: [] }))
  return null`

let project: PublishedProject
let server: TestServer
let browser: Browser
let page: Page
let complaints: string[]

beforeAll(async () => {
  buildDashboard()
  project = await makePublishedProject({ ...threeMistakes, reviewers: [voter(92), voter(88)] })
  await project.import(threeFindings)
  await project.fix()
  server = await serve()
  browser = await launchBrowser()
  ;({ page, complaints } = await openPage(browser))
  await logIn(page, server.url)
  await page.waitForURL(/issues$/)
})
const serve = (port = 0) =>
  startTestServer({
    root: project.root,
    home: project.home,
    env: { ...envOf(project), ...project.forge.env },
    port,
  })
afterAll(async () => {
  await browser?.close()
  await server?.end('SIGKILL')
  await project?.closeAll()
})

const button = (name: string) => page.getByRole('button', { name, exact: true })
const repository = () => `${server.url}/r/${project.app.repository.id}`

it('a session that is over creates its pull request, and leads to it ever after', async () => {
  const [session] = (await server.client.sessions()).sessions
  await page.goto(`${server.url}/sessions/${session?.session_id}`)
  await page.waitForURL(/\/r\/rep_\w+\/sessions\/ses_/)
  await button('Create pull request…').click(eventually)
  await page.getByLabel('Title').fill('fix: what was wrong')
  expect(await axeViolations(page)).toEqual([])
  await button('Push and create').click()
  const link = page.getByRole('link', { name: /^Pull request #\d+/ })
  await link.waitFor(eventually)
  await page.reload()
  await link.waitFor(eventually)
  const url = await link.getAttribute('href')
  const { pull_requests } = await server.client.pullRequests(project.app.repository.id, { details: true })
  expect(pull_requests).toMatchObject([
    { url, title: 'fix: what was wrong', draft: true, session_id: session?.session_id, open_threads: 0 },
  ])
})

it('pull requests say what they wait for, lead to their session, and are voted on; a killed server forgets no vote', async () => {
  await page.goto(`${repository()}/pull-requests`)
  const pull = page.getByRole('list', { name: 'Pull requests' }).getByRole('listitem')
  await pull.filter({ hasText: 'It is a draft · Nobody has voted' }).waitFor(eventually)
  await button('Let agents vote…').click()
  await button('Let agents vote').click()
  await page.keyboard.press('Escape')
  await page.reload()
  await pull.filter({ hasText: 'Agents vote' }).waitFor(eventually)
  writeFileSync(join(project.folder, 'vote'), '')
  await pull.filter({ hasText: 'Approved' }).filter({ hasText: 'average 90' }).waitFor(eventually)
  expect(await axeViolations(page)).toEqual([])
  await server.end('SIGKILL')
  server = await serve(server.port)
  await page.reload()
  await pull.filter({ hasText: 'average 90' }).waitFor(eventually)
  await page.getByRole('link', { name: 'its session' }).click()
  await page.waitForURL(/\/sessions\/ses_/)
  expect(complaints).toEqual([])
})
