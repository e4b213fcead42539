import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import axe from 'axe-core'
import { chromium as driver, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { serverToken } from '../fixtures/server.ts'

const root = join(import.meta.dirname, '../..')

/** The dashboard as `npm run build` makes it; nothing is done when it is there. */
export const buildDashboard = (): void => {
  execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--web'], { cwd: root, stdio: 'inherit' })
}

/** A real browser, from npm. */
export async function launchBrowser(): Promise<Browser> {
  return driver.launch({
    executablePath: await chromium.executablePath(),
    // Not the package's own list: it holds one process for everything and no web security at all.
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
    headless: true,
  })
}

export interface Watched {
  readonly page: Page
  /** What the page complained about: errors on the console, exceptions, violations of the policy. */
  readonly complaints: string[]
}

/** A page of its own that writes down every complaint. A server that is away is none: the page has to live with it. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const isAway = /net::ERR_(CONNECTION|INCOMPLETE|EMPTY|SOCKET)/.test(message.text())
    if (message.type() === 'error' && !isAway) complaints.push(message.text())
  })
  return { page, complaints }
}

/** Opens an address of the dashboard as the printed link does, with the token in its fragment. */
export async function logIn(page: Page, url: string, path = '/'): Promise<void> {
  await page.goto(`${url}${path}#token=${serverToken}`)
}

/** Runs in the page: what axe finds serious there, each with where it is. */
const findViolations = `(options) => axe.run({ resultTypes: ['violations'], ...options }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`

/** What axe finds serious on the page as it is now, by some of its rules or by all. It stays in the page: asking again is cheap. */
export async function seriousViolations(
  page: Page,
  rules: readonly string[] = [],
): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(axe.source)
  const options = rules.length === 0 ? {} : { runOnly: rules }
  return page.evaluate<string[]>(`(${findViolations})(${JSON.stringify(options)})`)
}
