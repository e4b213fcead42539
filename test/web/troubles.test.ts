import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDashboard, eventually, type Dashboard } from './dashboard.ts'
import { axeViolations, openPage } from './browser.ts'

let dashboard: Dashboard

beforeAll(async () => {
  dashboard = await openDashboard({ waiting: ['no-nan', 'stub', 'bounds'] })
})

afterAll(async () => {
  await dashboard.close()
})

/** Lets a page act as one that nobody looks at, or as one in sight again. */
const hide = (isHidden: boolean): string => `
  Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))`

/** Sets the clock of a page's computer wrong by so many hours. */
const wrongClock = (hours: number): string => `
  globalThis.Date = class extends Date {
    constructor(...given) {
      if (given.length > 0) super(...given)
      else super(globalThis.Date.now())
    }
    static now() {
      return super.now() + ${hours} * 3_600_000
    }
  }`

describe('before a session', () => {
  it('a number that is none is said beside its field, survives a reload, and starts nothing', async () => {
    const { page, scene } = dashboard
    const { id } = await scene.issueOf('weak-random')
    await dashboard.go(`/fix?issues=${id}`)
    const start = page.getByRole('button', { name: 'Start fixing' })
    await page.getByLabel('Budget in $').fill('5,50')
    await page.getByLabel('Rounds at most').fill('-3')
    await page.getByText('Dollars, such as 2.50').waitFor()
    await page.getByText('A whole number from 0 to 100').waitFor()
    expect(await start.isDisabled()).toBe(true)
    await page.reload()
    expect(await page.getByLabel('Rounds at most').inputValue()).toBe('-3')
    await page.getByLabel('Rounds at most').fill('2')
    expect(await start.isDisabled()).toBe(true)
    await page.getByLabel('Budget in $').fill('5.50')
    expect(await start.isDisabled()).toBe(false)
    dashboard.expectNoComplaints()
  })

  it('every choice can be taken back, also one that is refused or was made before a reload', async () => {
    const { page, scene } = dashboard
    const { id } = await scene.issueOf('money-float')
    await dashboard.go(`/fix?issues=${id}`)
    const choice = (label: string) => page.getByLabel(label)
    const wordOf = async (label: string) => (await choice(label).locator('option').allTextContents())[0]
    await page.getByText('no test is written beforehand').waitFor(eventually)
    await choice('Evidence needed').selectOption('E4')
    await page.getByText('nothing could ever land').waitFor(eventually)
    await page.reload()
    await page.getByText('nothing could ever land').waitFor(eventually)
    await choice('Reproduces').selectOption('rules')
    await page.getByText('nothing could ever land').waitFor({ state: 'detached' })
    await choice('Start from').fill('no-such-branch')
    await page.getByText('names no commit').waitFor(eventually)
    await choice('Start from').fill('')
    await page.getByText('names no commit').waitFor({ state: 'detached' })
    expect([await wordOf('Evidence needed'), await wordOf('Reproduces')]).toEqual([
      'E1',
      'nobody (configured)',
    ])
    expect(await axeViolations(page)).toEqual([])
  })

  it('a viewer reads who may start it and how to become that', async () => {
    const { scene, browser } = dashboard
    const body = JSON.stringify({ name: 'vera', role: 'viewer' })
    const { token } = (await scene.server.ask('/api/tokens', { method: 'POST', body })).json<{
      token: string
    }>()
    const { page } = await openPage(browser)
    const { id } = await scene.issueOf('weak-random')
    await page.goto(`${scene.server.url}/r/${scene.repositoryId}/fix?issues=${id}#token=${token}`)
    await page.getByRole('button', { name: 'Start fixing' }).click()
    const said = page.getByRole('alert').filter({ hasText: 'vera is a viewer, and this takes an operator' })
    expect(await said.first().textContent(eventually)).toContain('Log in with a token of another role')
    await page.context().close()
  })

  it('a slow server is not asked for what the page shows before the session is in sight', async () => {
    const { page, scene } = dashboard
    const { id } = await scene.issueOf('bounds')
    await dashboard.go(`/fix?issues=${id}`)
    await page.getByText('ready, model').first().waitFor()
    let isHeld = true
    await page.route(/\/api\/fix\/(?:plan|preflight|issues\/)/, async (route) => {
      while (isHeld) await new Promise((done) => setTimeout(done, 20))
      await route.continue().catch(() => undefined)
    })
    await page.getByRole('button', { name: 'Start fixing' }).click()
    await expect.poll(() => page.url(), eventually).toMatch(/\/sessions\/ses_/)
    isHeld = false
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})

describe('a session in sight', () => {
  it('has its buttons beside its title on a phone', async () => {
    const { page } = dashboard
    await dashboard.start('no-nan')
    const cancel = page.getByRole('button', { name: 'Cancel session' })
    await cancel.waitFor(eventually)
    await page.setViewportSize({ width: 390, height: 844 })
    const [button, title] = [
      await cancel.boundingBox(),
      await page.getByRole('heading', { level: 1 }).boundingBox(),
    ]
    expect(button?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0))
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('leaves the search of issues its room on a phone, whatever is chosen beside it', async () => {
    const { page } = dashboard
    const session = page.url()
    await page.setViewportSize({ width: 390, height: 844 })
    await dashboard.go('/issues?status=all')
    await page.getByRole('button', { name: 'Clear filters' }).waitFor(eventually)
    expect((await page.getByLabel('Search issues').boundingBox())?.width).toBeGreaterThan(300)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(session)
  })

  it.each([-5, 5])('tells true durations to a computer whose clock is %d hours wrong', async (hours) => {
    const { page: known, browser } = dashboard
    const { page } = await openPage(browser, { storageState: await known.context().storageState() })
    await page.addInitScript(wrongClock(hours))
    await page.goto(known.url())
    const clock = page.getByTitle('Time', { exact: true })
    const atFirst = await clock.textContent(eventually)
    await expect.poll(() => clock.textContent(), eventually).not.toBe(atFirst)
    expect(await clock.textContent()).toMatch(/^(?:\dm )?\d+s$/)
    await page.goto(known.url().replace(/\/ses_.*/, ''))
    await page
      .getByText(/just now|\d min ago/)
      .first()
      .waitFor(eventually)
    await page.context().close()
  })

  it('is read for all tabs by one in sight, and by another when that is hidden', async () => {
    const { page: first } = dashboard
    await dashboard.go('/issues')
    const second = await first.context().newPage()
    const streams: string[] = []
    for (const [name, page] of Object.entries({ first, second }))
      page.on('request', (request) => {
        if (
          /\/sessions\/ses_\w+\/events$/.test(request.url()) &&
          request.headers()['accept'] === 'text/event-stream'
        )
          streams.push(name)
      })
    await dashboard.start('stub')
    await expect.poll(() => streams, eventually).toEqual(['first'])
    await second.goto(first.url())
    await second.locator('[data-lane]').first().waitFor(eventually)
    // It has missed what the first one was told.
    await second.getByRole('link', { name: /^Sessions\s*\d/ }).waitFor(eventually)
    await first.evaluate(hide(true))
    await second.evaluate(hide(true))
    await second.evaluate(hide(false))
    await expect.poll(() => streams, eventually).toEqual(['first', 'second'])
    await first.evaluate(hide(false))
    await second.close()
    await expect.poll(() => streams, eventually).toEqual(['first', 'second', 'first'])
  })
})
