import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildDashboard, launchBrowser, logIn, openPage, seriousViolations, type Watched } from './browser.ts'
import { openScene, sarif, type Rule, type Scene, type SceneOptions } from './scene.ts'

let browser: Browser
let scene: Scene | null = null
let watched: Watched | null = null

beforeAll(async () => {
  buildDashboard()
  browser = await launchBrowser()
})
afterAll(() => browser.close())
afterEach(async () => {
  const complaints = watched?.complaints
  await watched?.page.context().close()
  await scene?.close()
  scene = watched = null
  expect(complaints ?? []).toEqual([])
})

/** The dashboard as somebody who has just followed the printed link sees it. */
async function open(options: SceneOptions = {}): Promise<{ scene: Scene; page: Page }> {
  scene = await openScene(options)
  watched = await openPage(browser)
  await logIn(watched.page, scene.server.url)
  await watched.page.waitForURL(/\/r\/rep_\w+\/issues$/)
  return { scene, page: watched.page }
}
const row = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title })
const isSlow = (rule: Rule) => (title: string, of: Rule) => (of === rule ? `${title}, slowly` : title)

async function startSession({ page, scene: on }: { page: Page; scene: Scene }, rules: readonly Rule[]) {
  const ids = rules.map((rule) => on.issueOf(rule).id).join(',')
  await page.goto(`${on.server.url}/r/${on.repositoryId}/fix?issues=${ids}`)
  await page.getByRole('button', { name: 'Start fixing' }).click()
  await page.waitForURL(/\/sessions\/ses_/)
}
const lane = (page: Page, code: string) => page.locator(`[data-lane="${code}"]`)
const over = (page: Page) =>
  page.getByRole('button', { name: 'Cancel session' }).waitFor({ state: 'detached', timeout: 40_000 })

describe('the token', () => {
  it('is taken out of the address at once, and a page without it says how to get in', async () => {
    const { page, scene: on } = await open()
    expect(page.url()).not.toContain('token')
    const stranger = await openPage(browser)
    await stranger.page.goto(on.server.url)
    await stranger.page.getByText('Not logged in').waitFor()
    await stranger.page.context().close()
  })
})

describe('issues', () => {
  it('come in as SARIF, are filtered by the address, and are ignored with a reason', async () => {
    const { page, scene: on } = await open({ isEmpty: true })
    await page.getByText('No issues yet').waitFor()
    await page
      .getByLabel('Report to import')
      .setInputFiles({ name: 'scan.sarif', mimeType: 'application/json', buffer: Buffer.from(sarif()) })
    await page.getByText('6 findings read, 6 new').waitFor()
    await row(page, 'Session tokens can be guessed').waitFor()
    await page.getByRole('button', { name: /^Major/ }).click()
    await page.waitForURL(/severity=major/)
    await expect.poll(() => page.getByRole('row').count()).toBe(4)
    await page.getByRole('searchbox', { name: 'Search issues' }).fill('stock')
    await page.waitForURL(/q=stock/)
    await expect.poll(() => page.getByRole('row').count()).toBe(1)
    await page.reload()
    await row(page, 'Nothing left counts as in stock').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Ignore…' }).click()
    await page.getByLabel('Why?').fill('counted elsewhere')
    await page.getByRole('button', { name: 'Ignore', exact: true }).click()
    await page.getByText('No issue matches these filters').waitFor()
    expect(await on.server.client.issues(on.repositoryId, { status: ['ignored'] })).toMatchObject({
      issues: [{ ignored: { reason: 'counted elsewhere' } }],
    })
  })

  it('are reached, selected and opened by keys alone, and show their code with the flagged line', async () => {
    const { page } = await open()
    await page.getByRole('grid').focus()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('1 issue selected').waitFor()
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'SQL is built from what a user types' }).waitFor()
    const flagged = page.getByRole('row').filter({ hasText: 'flagged' })
    await expect.poll(() => flagged.textContent()).toContain('select * from products')
    expect(await seriousViolations(page)).toEqual([])
  })
})

describe('a session', () => {
  it('is clarified, planned, started and watched to its report', async () => {
    const { page, scene: on } = await open()
    await row(page, 'Session tokens can be guessed').getByRole('checkbox').check()
    await row(page, 'Comparing with NaN').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Fix…' }).click()
    await page.getByRole('button', { name: 'Ask the fixer' }).click()
    await page.getByLabel('32 characters').check()
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByText('The fixer has no open question').waitFor()
    await page.getByLabel('Notes for the fixer').fill('NOTE-MARK')
    await page.getByRole('button', { name: 'Show the prompts' }).click()
    const { code } = on.issueOf('weak-random')
    await page.locator('summary').filter({ hasText: code }).click()
    await expect
      .poll(() => page.getByRole('region', { name: `Prompt for ${code}` }).textContent())
      .toContain('NOTE-MARK')
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Start fixing' }).click()
    await over(page)
    await lane(page, code).click()
    await page.getByText('crypto.randomUUID').first().waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Report' }).click()
    await page.getByText('2 of 2', { exact: true }).waitFor()
    expect(await seriousViolations(page)).toEqual([])
    const prompt = on.project.seen().findLast((task) => task.role === 'fixer' && task.code === code)?.prompt
    expect(prompt).toContain('32 characters')
    expect(prompt).toContain('NOTE-MARK')
  })

  it('is watched live over a reload and a killed server, with every event once', async () => {
    const { page, scene: on } = await open({ titleOf: isSlow('off-by-one') })
    const { code } = on.issueOf('off-by-one')
    await startSession({ page, scene: on }, ['no-nan', 'off-by-one'])
    await lane(page, code).click()
    await page.getByRole('log').getByText('Reading src/cart.mjs').waitFor()
    await page.reload()
    await lane(page, code).filter({ hasText: 'Fixing' }).waitFor()
    await on.server.end('SIGKILL')
    await page.getByText('The connection is lost').waitFor()
    on.go()
    await on.serveAgain()
    await over(page)
    await page.getByText('score 95.65').first().waitFor()
    await page.getByRole('link', { name: 'Log' }).click()
    const seqs = await page.locator('[data-seq]').evaluateAll((all) => all.map((one) => Number(one.dataset['seq'])))
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    const sessionId = /ses_\w+/.exec(page.url())?.[0] ?? ''
    expect((await on.server.client.events(sessionId)).events).toHaveLength(seqs.length)
  })

  it('is cancelled, and its issues are open again', async () => {
    const { page, scene: on } = await open({ titleOf: isSlow('no-nan') })
    await startSession({ page, scene: on }, ['no-nan'])
    await lane(page, on.issueOf('no-nan').code).filter({ hasText: 'Fixing' }).waitFor()
    await page.getByRole('button', { name: 'Cancel session' }).click()
    await over(page)
    expect((await on.server.client.issue(on.issueOf('no-nan').id)).status).toBe('open')
  })
})

describe('what waits for a person', () => {
  it('is a patch that weakens a test: rejected with a reason, it is fixed honestly', async () => {
    const { page, scene: on } = await open()
    await startSession({ page, scene: on }, ['bounds'])
    await page.getByRole('link', { name: 'Answer' }).click({ timeout: 40_000 })
    await page.getByRole('region', { name: 'Changes of test/cart.test.mjs' }).waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Reject…' }).click()
    await page.getByLabel('Why?').fill('leave the test alone')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByText('Nothing waits for you').waitFor()
    await expect
      .poll(async () => (await on.server.client.issue(on.issueOf('bounds').id)).status, { timeout: 40_000 })
      .toBe('resolved')
    const { prompt } = on.project.seen().findLast(({ role }) => role === 'fixer')!
    expect(prompt).toContain('leave the test alone')
  })

  it('is a patch outside of its scope: approved, exactly its files change', async () => {
    const { page, scene: on } = await open({ config: 'workspace: { path: src/search.mjs }' })
    await startSession({ page, scene: on }, ['sql-injection'])
    await page.getByRole('link', { name: 'Answer' }).click({ timeout: 40_000 })
    await page.getByText('Outside of the scope').waitFor()
    await page.getByRole('button', { name: 'Approve exactly this file' }).click()
    await page.getByText('Nothing waits for you').waitFor()
    await expect
      .poll(async () => (await on.server.client.issue(on.issueOf('sql-injection').id)).status, { timeout: 40_000 })
      .toBe('resolved')
  })

  it('is a question of the fixer in the middle of a session', async () => {
    const { page, scene: on } = await open({ config: 'fix: { clarify: ask }' })
    await startSession({ page, scene: on }, ['weak-random'])
    await page.getByRole('link', { name: 'Answer' }).click({ timeout: 40_000 })
    await page.getByLabel('64 characters').check()
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await page.getByText('Nothing waits for you').waitFor()
    await expect
      .poll(async () => (await on.server.client.issue(on.issueOf('weak-random').id)).status, { timeout: 40_000 })
      .toBe('resolved')
    expect(on.project.seen().findLast(({ role }) => role === 'fixer')?.prompt).toContain('64 characters')
  })
})

describe('every page', () => {
  it.each(['light', 'dark'] as const)('can be read in %s, by everyone and on a phone', async (colorScheme) => {
    const { scene: on } = await open()
    const phone = await openPage(browser, { colorScheme, viewport: { width: 390, height: 844 } })
    await logIn(phone.page, on.server.url)
    for (const name of ['issues', 'sessions', 'needs-you', 'insights', 'settings']) {
      await phone.page.goto(`${on.server.url}/r/${on.repositoryId}/${name}`)
      await phone.page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
      expect([name, await seriousViolations(phone.page)]).toEqual([name, []])
      const isTooWide = await phone.page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      expect([name, isTooWide]).toEqual([name, false])
    }
    expect(phone.complaints).toEqual([])
    await phone.page.context().close()
  })

  it('shows hostile text as text', async () => {
    const payload = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
    const { page } = await open({ titleOf: (_title, rule) => `${payload} ${rule}` })
    await row(page, 'no-nan').click()
    await page.getByRole('heading', { name: 'onerror' }).waitFor()
    expect(await page.title()).not.toBe('owned')
    expect(await page.locator('img[src="x"]').count()).toBe(0)
  })
})
