import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { logIn, openPage, axeViolations } from './browser.ts'
import { eventually, openDashboard, type Dashboard } from './dashboard.ts'
import type { Scene } from './scene.ts'

let dashboard: Dashboard
let scene: Scene
let page: Page

beforeAll(async () => {
  dashboard = await openDashboard({
    waiting: ['no-nan', 'off-by-one', 'bounds'],
    disputing: ['weak-random'],
  })
  ;({ scene, page } = dashboard)
})
afterAll(() => dashboard.close())
afterEach(() => dashboard.expectNoComplaints())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const stateOf = (code: string, step: string) =>
  dashboard.lane(code).locator(`[data-step="${step}"]`).getAttribute('data-state')

describe('before a session', () => {
  it('shows who fixes, by which checks and limits, and runs the checks on request', async () => {
    const { id } = await scene.issueOf('money-float')
    await dashboard.go(`/fix?issues=${id}`)
    await page.getByRole('heading', { name: 'Before it begins' }).waitFor()
    await page.getByText('Not tried yet').first().waitFor()
    await button('Run the checks now').click()
    await page.getByText('Green on the base').first().waitFor(eventually)
    expect(await axeViolations(page)).toEqual([])
  })

  it('keeps what was typed over a reload, and starts with it', async () => {
    await page.getByLabel('Notes for the fixer').fill('KEPT-NOTE')
    await page.getByLabel('Rounds at most').fill('2')
    await page.reload()
    await expect.poll(() => page.getByLabel('Notes for the fixer').inputValue()).toBe('KEPT-NOTE')
    // The result of the checks is known for this tree, so nothing has to run again.
    await page.getByText('Green on the base').first().waitFor()
    await button('Start fixing').click()
    await page.waitForURL(/\/sessions\/ses_/)
    await dashboard.over()
    const { code } = await scene.issueOf('money-float')
    expect(dashboard.lastPrompt(code)).toContain('KEPT-NOTE')
    await page.getByText('round 1 of 2').waitFor()
  })
})

describe('a session that is over', () => {
  it('shows what each stage came to, what was said in each round, and what to do with the branch', async () => {
    const { code } = await scene.issueOf('money-float')
    for (const step of ['fix', 'verify', 'challenge', 'land'])
      expect([step, await stateOf(code, step)]).toEqual([step, 'passed'])
    await page.getByRole('list', { name: 'Commands for the branch' }).getByText('git switch').waitFor()
    await dashboard.lane(code).click()
    await page.reload()
    await button('Prompt').click()
    await page.getByRole('region', { name: 'Prompt', exact: true }).getByText('KEPT-NOTE').waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  it('is shared as one page that needs nothing else', async () => {
    const download = page.waitForEvent('download')
    await button('Share as HTML').click()
    const html = readFileSync(await (await download).path(), 'utf8')
    expect(html).toContain('Cents are divided as floating point')
    expect(html).not.toMatch(/<script|\bsrc=/)
  })

  it('shows a dispute that a person has answered as answered, and tries the rest again', async () => {
    const code = await dashboard.start('weak-random')
    await dashboard.over()
    await page.getByRole('heading', { name: 'Waiting for you' }).waitFor(eventually)
    const session = page.url()
    await expect.poll(() => page.title(), eventually).toMatch(/^\(1\) /)
    await page.getByRole('link', { name: 'Answer' }).click()
    await button('Agree and ignore the issue').click()
    await dashboard.answered()
    await page.goto(session)
    await dashboard.lane(code).filter({ hasText: 'You answered' }).waitFor(eventually)
    await expect.poll(() => page.title(), eventually).not.toMatch(/^\(/)
  })
})

describe('a session at work', () => {
  it('that was cancelled is tried again with a note, and what it says reaches the fixer', async () => {
    const code = await dashboard.start('bounds')
    await dashboard.lane(code).filter({ hasText: 'Reading src/stock.mjs' }).waitFor(eventually)
    await button('Cancel session').click()
    await button('Cancel for good').click()
    await dashboard.over()
    await expect.poll(() => dashboard.statusOf('bounds'), eventually).toBe('open')
    const before = page.url()
    await button('Retry 1 issue…').click(eventually)
    await page.getByLabel('Rounds at most').fill('2')
    await page.getByLabel('Notes for the fixer').fill('TRY-THIS')
    await button('Retry').click()
    await expect.poll(() => page.url(), eventually).not.toBe(before)
    await dashboard.lane(code).filter({ hasText: 'round 1 of 2' }).waitFor(eventually)
    await expect.poll(() => dashboard.lastPrompt(code), eventually).toContain('TRY-THIS')
    await button('Cancel session').click()
    await button('Cancel for good').click()
    await dashboard.over()
  })

  it('is stopped and goes on, and one that is cancelled asks first', async () => {
    const code = await dashboard.start('no-nan')
    await dashboard.lane(code).filter({ hasText: 'Reading src/price.mjs' }).waitFor(eventually)
    expect(await stateOf(code, 'fix')).toBe('running')
    await button('Stop').click()
    await page.getByText('The session stops after the steps at work now').waitFor()
    await button('Stop now').click()
    await button('Resume').waitFor(eventually)
    scene.go('no-nan')
    await button('Resume').click()
    await dashboard.over()
    expect(await dashboard.statusOf('no-nan')).toBe('resolved')
  })

  it('shows what the checks print while they run, and keeps it', async () => {
    const code = await dashboard.start('stub')
    await dashboard.lane(code).click()
    await page
      .getByRole('log', { name: 'What the checks print' })
      .filter({ hasText: 'waiting for the database' })
      .waitFor(eventually)
    await dashboard.over()
    await page.locator('summary').filter({ hasText: 'test' }).first().click()
    const kept = page.getByRole('region', { name: 'Output of test' })
    expect(await kept.textContent()).toContain('waiting for the database')
  })

  it('tells a later tab what was said before it came, and shows an event at once in every tab', async () => {
    const code = await dashboard.start('off-by-one')
    await dashboard.lane(code).filter({ hasText: 'Reading src/cart.mjs' }).waitFor(eventually)
    const others = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const other = await page.context().newPage()
        await other.goto(page.url())
        return other
      }),
    )
    for (const other of others)
      await other
        .locator(`[data-lane="${code}"]`)
        .filter({ hasText: 'Reading src/cart.mjs' })
        .waitFor(eventually)
    scene.go('off-by-one')
    for (const other of others) await other.getByText('What now?').waitFor(eventually)
    for (const other of others) await other.close()
    await dashboard.over()
    await page.getByText('round 2 of').waitFor()
    expect(await dashboard.statusOf('off-by-one')).toBe('resolved')
  })
})

describe('many issues', () => {
  it('are sorted, counted, grouped and narrowed on the server, and the address keeps it', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await dashboard.go('/issues?status=all')
    await button('Sort by file').click()
    await page.waitForURL(/sort=file/)
    const files = async (): Promise<readonly string[]> => {
      const places = await page.getByRole('row').locator('[role="gridcell"]:nth-child(6)').allTextContents()
      return places.map((place) => place.replace(/:\d+$/, ''))
    }
    await expect
      .poll(async () => {
        const listed = await files()
        return listed.length > 1 && listed.join() === listed.toSorted().join()
      }, eventually)
      .toBe(true)
    await page.getByRole('region', { name: 'Rule' }).getByRole('button', { name: /^stub/ }).click()
    await page.waitForURL(/rule=stub/)
    await expect.poll(() => page.getByRole('row').count(), eventually).toBe(1)
    await page.reload()
    await dashboard.row('The database only pretends').waitFor()
    await page.getByRole('region', { name: 'Folders' }).getByRole('button', { name: /^src/ }).click()
    await page.waitForURL(/path=src/)
    await page.getByLabel('Group by').selectOption('folder')
    await page.getByRole('region', { name: 'Groups' }).getByText('src').waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  it('are previewed with the diff that fixed them', async () => {
    await dashboard.go('/issues?status=all&q=NaN')
    await dashboard.row('Comparing with NaN').waitFor()
    await page.keyboard.press('p')
    const preview = page.getByRole('complementary', { name: /^Preview of/ })
    await preview.getByRole('region', { name: 'Changes of src/price.mjs' }).waitFor(eventually)
    expect(await preview.textContent()).toContain('Number.isNaN(value)')
    // The columns stand under their heads, and the title keeps room beside the preview.
    const [head, cell] = [button('Sort by title'), page.locator('[role="gridcell"]:nth-child(4)').first()]
    const [headBox, cellBox] = [await head.boundingBox(), await cell.boundingBox()]
    expect(cellBox?.x).toBe(headBox?.x)
    expect(cellBox?.width).toBeGreaterThan(240)
  })

  it('are previewed and found by keys wherever the focus is', async () => {
    await dashboard.go('/issues?status=all&q=pretends')
    await dashboard.row('The database only pretends').waitFor()
    await page.keyboard.press('p')
    await page
      .getByRole('complementary', { name: /^Preview of/ })
      .getByText('sql')
      .first()
      .waitFor()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Page, repository or issue' }).fill('insi')
    const entries = page.getByRole('listbox', { name: 'Found' }).getByRole('option')
    await expect.poll(() => entries.allTextContents(), eventually).toEqual(['InsightsPage'])
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/insights/)
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).textContent(), eventually)
      .toBe('Insights')
  })
})

describe('insights', () => {
  it('count what the database holds, and every bar leads to the attempts that it counts', async () => {
    const database = new DatabaseSync(join(scene.project.home, 'fixpoint.db'), { readOnly: true })
    const rows = database.prepare("select data ->> 'outcome' as outcome from attempt").all()
    database.close()
    const counted = Map.groupBy(rows, ({ outcome }) => String(outcome))
    expect(rows.length).toBeGreaterThan(0)
    await dashboard.go('/insights')
    const bars = page.locator('section').filter({ hasText: 'Outcomes' }).last()
    for (const [outcome, some] of counted) {
      const word = outcome.replaceAll('_', ' ')
      await bars.getByRole('button', { name: new RegExp(`^${word}$`, 'i') }).click()
      await expect
        .poll(() => page.getByRole('list', { name: 'Attempts' }).getByRole('listitem').count(), eventually)
        .toBe(some.length)
      await page.keyboard.press('Escape')
      await page.getByRole('list', { name: 'Attempts' }).waitFor({ state: 'detached' })
    }
    await page.getByLabel('To', { exact: true }).fill('2001-01-01')
    await page.getByText('Nothing to count yet').waitFor()
  })
})

describe('every page', () => {
  const looks = [1440, 1024, 390].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  )
  it('is accessible and fits, in light and in dark, at every width', async () => {
    const { page } = dashboard
    const [session] = (await scene.server.client.sessions()).sessions
    const at = `/r/${scene.repositoryId}`
    const [resolved, open] = await Promise.all([scene.issueOf('money-float'), scene.issueOf('sql-injection')])
    const paths = [
      '/overview',
      '/workers',
      ...['issues', 'sessions', 'needs-you', 'reviews', 'pull-requests', 'insights', 'settings'].map(
        (name) => `${at}/${name}`,
      ),
      ...['', '?tab=diff', '?tab=log', '?tab=timing', '?tab=report'].map(
        (tab) => `${at}/sessions/${session?.session_id}${tab}`,
      ),
      `${at}/issues/${resolved.id}`,
      `${at}/fix?issues=${open.id}`,
    ]
    for (const path of paths) {
      await page.goto(`${scene.server.url}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
      for (const { width, colorScheme } of looks) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
        // Dark pages differ in colours only.
        const violations = await axeViolations(page, colorScheme === 'dark' ? ['color-contrast'] : [])
        const seen = { path, width, colorScheme, isTooWide, violations }
        expect(seen).toEqual({ path, width, colorScheme, isTooWide: false, violations: [] })
      }
    }
    await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  })

  it('loads no more than 170 kB of script before it shows the first issues', async () => {
    const fresh = await openPage(dashboard.browser)
    const sizes: Promise<number>[] = []
    fresh.page.on('response', (response) => {
      if (response.url().endsWith('.js'))
        // The size as it travelled: a server that zips nothing is over the limit.
        sizes.push(response.finished().then(async () => (await response.request().sizes()).responseBodySize))
    })
    await logIn(fresh.page, scene.server.url)
    await fresh.page.getByRole('grid').waitFor()
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(sizes.length).toBeGreaterThan(5)
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThan(170_000)
    await fresh.page.context().close()
  })
})
