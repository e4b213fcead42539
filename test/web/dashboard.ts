import type { Browser, Locator, Page } from 'playwright-core'
import { buildDashboard, launchBrowser, logIn, openPage } from './browser.ts'
import { openScene, type Rule, type Scene, type SceneOptions } from './scene.ts'

export const eventually = { timeout: 200_000 }

/** A server of its own, and a person who is logged in to its dashboard. */
export interface Dashboard {
  readonly browser: Browser
  readonly scene: Scene
  readonly page: Page
  readonly row: (title: string) => Locator
  readonly lane: (code: string) => Locator
  /** Opens a page of the repository. */
  readonly go: (path: string) => Promise<unknown>
  readonly statusOf: (rule: Rule) => Promise<string>
  /** The last prompt of the fixer of an issue. */
  readonly lastPrompt: (code: string) => string
  /** Starts a session for one issue from its page, and gives the issue's code. */
  readonly start: (rule: Rule, prepare?: () => Promise<void>) => Promise<string>
  /** Waits until the session in sight is over. */
  readonly over: () => Promise<void>
  /** Waits until nothing needs the person any more. */
  readonly answered: () => Promise<void>
  /** Throws the complaints of the page since the last call. */
  readonly expectNoComplaints: () => void
  readonly close: () => Promise<void>
}

export async function openDashboard(options: SceneOptions): Promise<Dashboard> {
  buildDashboard()
  const browser = await launchBrowser()
  const scene = await openScene(options)
  const { page, complaints } = await openPage(browser)
  await logIn(page, scene.server.url)
  await page.waitForURL(/\/r\/rep_\w+\/issues$/)
  const go = (path: string) => page.goto(`${scene.server.url}/r/${scene.repositoryId}${path}`)
  return {
    browser,
    scene,
    page,
    row: (title) => page.getByRole('row').filter({ hasText: title }),
    lane: (code) => page.locator(`[data-lane="${code}"]`),
    go,
    statusOf: async (rule) => (await scene.issueOf(rule)).status,
    lastPrompt: (code) =>
      scene.project.seen().findLast((task) => task.role === 'fixer' && task.code === code)?.prompt ?? '',
    async start(rule, prepare = async () => undefined) {
      const { id, code } = await scene.issueOf(rule)
      await go(`/fix?issues=${id}`)
      await page.getByRole('button', { name: 'Start fixing' }).waitFor()
      await prepare()
      await page.getByRole('button', { name: 'Start fixing' }).click()
      await page.waitForURL(/\/sessions\/ses_/)
      return code
    },
    async over() {
      await page.locator('[data-lane]').first().waitFor(eventually)
      await page.getByRole('button', { name: 'Cancel session' }).waitFor({ state: 'detached', ...eventually })
    },
    answered: () => page.getByText('Nothing waits for you').waitFor(eventually),
    expectNoComplaints() {
      const said = complaints.splice(0)
      if (said.length > 0) throw new Error(`the page complains: ${said.join('; ')}`)
    },
    async close() {
      await browser.close()
      await scene.close()
    },
  }
}
