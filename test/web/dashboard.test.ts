import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { configOf, sources } from '../fixtures/command-line.ts'
import { makeRepository } from '../fixtures/repositories.ts'
import { serverToken } from '../fixtures/server.ts'
import { openPage, axeViolations } from './browser.ts'
import { eventually, openDashboard, type Dashboard } from './dashboard.ts'
import { sarif, type Rule, type Scene } from './scene.ts'

// All tests share one server and one log-in; each test has issues of its own.
let dashboard: Dashboard
let browser: Browser
let scene: Scene
let page: Page

beforeAll(async () => {
  dashboard = await openDashboard({
    config: 'fix: { clarify: ask }',
    waiting: ['off-by-one'],
    isEmpty: true,
  })
  ;({ browser, scene, page } = dashboard)
})
afterAll(() => dashboard.close())
afterEach(() => dashboard.expectNoComplaints())

const row = (title: string) => dashboard.row(title)
const lane = (code: string) => dashboard.lane(code)
const go = (path: string) => dashboard.go(path)
const statusOf = (rule: Rule) => dashboard.statusOf(rule)
const lastPrompt = (code: string) => dashboard.lastPrompt(code)
const start = (rule: Rule, prepare?: () => Promise<void>) => dashboard.start(rule, prepare)
const over = () => dashboard.over()
const answered = () => dashboard.answered()

/** Runs in a page: the page is hidden, may notify, and remembers its notifications. */
const behind = `
  Object.defineProperty(document, 'hidden', { get: () => true })
  globalThis.said = []
  globalThis.Notification = class extends EventTarget {
    static permission = 'granted'
    constructor(title, { body }) {
      super()
      globalThis.said.push(title + ': ' + body)
    }
  }`

/** Runs in the page, and drops files on it. */
const drop = `(dropped) => {
  const files = new DataTransfer()
  for (const { name, text } of dropped) files.items.add(new File([text], name))
  for (const type of ['dragover', 'drop'])
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }))
}`

describe('issues', () => {
  it('come in as SARIF and are filtered by the address', async () => {
    expect(page.url()).not.toContain('token')
    await page.getByText('No issues yet').waitFor()
    await page
      .getByLabel('Report to import')
      .setInputFiles({ name: 'scan.sarif', mimeType: 'application/json', buffer: Buffer.from(sarif()) })
    const counts = page.getByLabel('What the import would do')
    await expect.poll(() => counts.textContent(), eventually).toBe('new7updated0unchanged0')
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Import', exact: true }).last().click()
    await page.getByText('7 new issues, 0 updated').waitFor()
    await row('Session tokens can be guessed').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: /^Info/ }).click()
    await page.waitForURL(/severity=info/)
    await expect.poll(() => page.getByRole('row').count(), eventually).toBe(2)
    await page.getByRole('searchbox', { name: 'Search issues' }).fill('pretends')
    await page.waitForURL(/q=pretends/)
    await expect.poll(() => page.getByRole('row').count(), eventually).toBe(1)
    await page.getByRole('button', { name: 'BE 1', exact: true }).waitFor()
    await page.getByRole('button', { name: 'FE 0', exact: true }).click()
    await page.getByText('No issue matches these filters').waitFor()
    await page.getByRole('button', { name: 'FE 0', exact: true }).click()
    await page.reload()
    await row('The database only pretends').waitFor()
  })

  it('are ignored with a reason, and Undo takes it back', async () => {
    const ignore = async (): Promise<void> => {
      await row('The database only pretends').getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Ignore…' }).click()
      await page.getByLabel('Why?').fill('counted elsewhere')
      await page.getByRole('button', { name: 'Ignore', exact: true }).click()
      await page.getByText('No issue matches these filters').waitFor()
    }
    await ignore()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('The database only pretends').waitFor()
    expect(await scene.issueOf('stub')).toMatchObject({ status: 'open', ignored: null })
    await ignore()
    expect(await scene.issueOf('stub')).toMatchObject({
      status: 'ignored',
      ignored: { reason: 'counted elsewhere' },
    })
  })

  it('are reached, selected and opened by keys alone, and show their code with the flagged line', async () => {
    await go('/issues?q=typ')
    await row('SQL is built').waitFor()
    await page.keyboard.press('x')
    await page.getByText('1 issue selected').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'SQL is built from what a user types' }).waitFor()
    await row('flagged').filter({ hasText: 'select * from products' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  it('with hostile text are shown as text', async () => {
    const payload = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
    const findings = [{ file: 'src/db.mjs', line: 1, title: payload, description: payload, rule: payload }]
    await scene.project.import(findings)
    await go('/issues?q=onerror')
    await row('onerror').click()
    await page.getByRole('heading', { name: 'onerror' }).waitFor()
    expect([(await page.title()) === 'owned', await page.locator('img[src="x"]').count()]).toEqual([false, 0])
  })
})

describe('a review', () => {
  it('is previewed for each report that is dropped on the page, and what is known already changes nothing', async () => {
    await go('/reviews')
    await page.getByText('Earlier reviews').waitFor()
    const before = await scene.server.client.reviews(scene.repositoryId)
    const reports = ['first.sarif', 'second.sarif'].map((name) => ({ name, text: sarif() }))
    await page.evaluate(`(${drop})(${JSON.stringify(reports)})`)
    const counts = page.getByLabel('What the import would do')
    await expect.poll(() => counts.textContent(), eventually).toBe('new0updated0unchanged7')
    await page.getByText('Then 1 more report').waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('heading', { name: 'Import second.sarif' }).waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await scene.server.client.reviews(scene.repositoryId)).toEqual(before)
  })

  it('is started with a scope and chosen reviewers, watched, cancelled, and run to its coverage', async () => {
    scene.holdReview()
    await page.getByLabel('Only these paths').fill('src')
    await page.getByLabel('rules').check()
    await page.getByRole('button', { name: 'Start review' }).click()
    const live = page.getByRole('log', { name: 'What reviewer-1 says' })
    await live.getByText('Looking at the cart').waitFor(eventually)
    await page.getByRole('region', { name: 'rules', exact: true }).getByText('finding').waitFor(eventually)
    await page.reload()
    await live.getByText('Looking at the cart').waitFor(eventually)
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Cancel review' }).click()
    await page.getByRole('button', { name: /^Partial Review by reviewer-1, rules/ }).waitFor(eventually)
    scene.letReviewGo()
    await page.getByRole('button', { name: 'Start review' }).click()
    await page
      .getByRole('button', { name: /Review by reviewer-1 1 finding/ })
      .first()
      .click(eventually)
    await page.getByText(/^3 of 8 files read in full/).waitFor()
    expect(await axeViolations(page)).toEqual([])
  })
})

describe('a session', () => {
  it('is clarified, planned, started and watched to its report', async () => {
    const { code } = await scene.issueOf('weak-random')
    await start('weak-random', async () => {
      await page.getByRole('button', { name: 'Ask the fixer' }).click()
      await page.getByLabel('32 characters what the fixer would assume').check()
      await page.getByRole('button', { name: 'Answer' }).click()
      await page.getByText('The fixer has no open question').waitFor()
      await page.getByLabel('Notes for the fixer').fill('NOTE-MARK')
      await page.getByRole('button', { name: 'Show the prompts' }).click()
      await page.locator('summary').filter({ hasText: code }).click()
      await page
        .getByRole('region', { name: `Prompt for ${code}` })
        .filter({ hasText: 'NOTE-MARK' })
        .waitFor()
      expect(await axeViolations(page)).toEqual([])
    })
    await over()
    await lane(code).click()
    await page.getByText('crypto.randomUUID').first().waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Report' }).click()
    await page.getByText('1 of 1', { exact: true }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    expect(lastPrompt(code)).toMatch(/NOTE-MARK[^]*32 characters|32 characters[^]*NOTE-MARK/)
  })

  it('is watched live over a reload and a killed server, with every event once', async () => {
    const code = await start('off-by-one')
    await lane(code).click()
    await page.getByRole('log').getByText('Reading src/cart.mjs').waitFor(eventually)
    await page.reload()
    await lane(code).filter({ hasText: 'Fixing' }).waitFor()
    await scene.server.end('SIGKILL')
    await page.getByText('The connection is lost').waitFor(eventually)
    scene.go('off-by-one')
    await scene.serveAgain()
    await over()
    await page.getByText('score 95').first().waitFor()
    await page.getByText('Return the sum as it is.').first().waitFor({ state: 'attached' })
    await page.getByRole('link', { name: 'Log' }).click()
    await page.getByLabel('Show every one').check()
    const seqs = await page.evaluate<number[]>(
      "[...document.querySelectorAll('[data-seq]')].map((one) => Number(one.dataset.seq))",
    )
    const sessionId = /ses_\w+/.exec(page.url())?.[0] ?? ''
    const { events } = await scene.server.client.events(sessionId)
    expect(seqs).toEqual(events.map(({ seq }) => seq))
  })
})

describe('another repository', () => {
  it('is added, trusted, reviewed and fixed by the built-in rules', async () => {
    const other = makeRepository({ ...sources, 'fixpoint.yaml': configOf() })
    try {
      await go('/settings')
      await page.getByLabel('Folder of a repository').fill(other.root)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText(other.root).waitFor()
      await page.getByRole('listitem').filter({ hasText: other.root }).getByRole('link').click()
      await page.getByText('No issues yet').waitFor()
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('button', { name: /Review by rules/ }).waitFor(eventually)
      await page.getByRole('link', { name: 'Issues', exact: true }).click()
      await row('src/number.js').click()
      await page.getByRole('link', { name: 'Fix…' }).click()
      await page.getByRole('button', { name: 'Trust these commands' }).click()
      await page.getByRole('button', { name: 'Trust these commands' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Start fixing' }).click()
      await page.waitForURL(/\/sessions\/ses_/)
      await over()
      await page.getByRole('link', { name: 'Diff' }).click()
      const changes = page.getByRole('region', { name: 'Changes of src/number.js' })
      await expect.poll(() => changes.textContent(), eventually).toContain('Number.isNaN(value)')
    } finally {
      other.dispose()
    }
  })
})

describe('what waits for a person', () => {
  it('is a patch that weakens a test: rejected with a reason, it is fixed honestly', async () => {
    const code = await start('bounds')
    await page.getByRole('link', { name: 'Answer' }).click(eventually)
    await page.getByRole('region', { name: 'Changes of test/cart.test.mjs' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Reject…' }).click()
    await page.getByLabel('Why?').fill('leave the test alone')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await answered()
    await expect.poll(() => statusOf('bounds'), eventually).toBe('resolved')
    expect(lastPrompt(code)).toContain('leave the test alone')
  })

  it('is a patch outside of its scope: approved, exactly its files change', async () => {
    await start('sql-injection', () => page.getByLabel('Only this folder may change').fill('src/search.mjs'))
    await page.getByRole('link', { name: 'Answer' }).click(eventually)
    await page.getByText('May this patch change these files as well?').waitFor()
    await page.getByRole('button', { name: 'Approve exactly this file' }).click()
    await answered()
    await expect.poll(() => statusOf('sql-injection'), eventually).toBe('resolved')
  })

  it('is a question of the fixer in the middle of a session, and a tab behind others calls back for it', async () => {
    const other = await page.context().newPage()
    await other.addInitScript(behind)
    await other.goto(page.url())
    await other.getByRole('main').waitFor()
    const code = await start('money-float')
    await page.getByRole('link', { name: 'Answer' }).click(eventually)
    const said = () => other.evaluate('[document.title.slice(0, 4), ...globalThis.said].join()')
    await expect.poll(said, eventually).toBe('(1) ,Fixpoint needs you: A patch or question waits for you.')
    await other.close()
    await page.getByLabel('64 characters').check()
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await answered()
    await expect.poll(() => statusOf('money-float'), eventually).toBe('resolved')
    expect(lastPrompt(code)).toContain('64 characters')
  })
})

describe('every page', () => {
  it('without a token asks for one, takes a right one only, and lets go of who logs out', async () => {
    const stranger = await openPage(browser)
    const { page } = stranger
    await page.goto(scene.server.url)
    const tokenField = page.getByLabel('Token')
    await tokenField.fill('nonsense', eventually)
    expect((await page.request.get(`${scene.server.url}/api/repositories`)).status()).toBe(401)
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect.poll(() => page.textContent('main'), eventually).toContain('Not logged in')
    await tokenField.fill(serverToken)
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect.poll(() => tokenField.count(), eventually).toBe(0)
    expect((await page.request.get(`${scene.server.url}/api/repositories`)).status()).toBe(200)
    const aside = page.getByRole('complementary')
    await aside.getByText('owner', { exact: true }).waitFor()
    await aside.getByRole('button', { name: 'Log out' }).click()
    await tokenField.waitFor(eventually)
    expect((await page.request.get(`${scene.server.url}/api/repositories`)).status()).toBe(401)
    await stranger.page.context().close()
  })
})
