import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import { chromium as driver, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { serverToken } from '../fixtures/server.ts'

const root = join(import.meta.dirname, '../..')

/** The dashboard as `npm run build` makes it; nothing is done when it is there. */
export const buildDashboard = (): void => {
  execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--web'], { cwd: root, stdio: 'inherit' })
}

/**
 * The browser's program, unpacked once. Its package unpacks to a place where others see half of it, and no system starts a
 * program that is still written to: so it is unpacked to a folder that nobody knows, which then gets its name.
 */
export function browserProgram(within = tmpdir()): string {
  const about = readFileSync(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8')
  const { version } = JSON.parse(about) as { version: string }
  const folder = join(within, `fixpoint-browser-${version}`)
  if (!existsSync(folder)) {
    const own = mkdtempSync(join(within, 'fixpoint-unpacking-'))
    execFileSync(process.execPath, [join(import.meta.dirname, 'unpack-browser.ts')], {
      env: { ...process.env, TMPDIR: own },
    })
    try {
      renameSync(own, folder)
    } catch (error) {
      rmSync(own, { recursive: true })
      // Somebody else was faster.
      if (!existsSync(folder)) throw error
    }
  }
  return join(folder, 'chromium')
}

/** A real browser, from npm. */
export async function launchBrowser(): Promise<Browser> {
  return driver.launch({
    executablePath: browserProgram(),
    // The package's own list is not used: it puts everything into one process, without any web security.
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
    headless: true,
  })
}

export interface Watched {
  readonly page: Page
  /** The complaints of the page: errors on the console, exceptions, violations of the policy. */
  readonly complaints: string[]
}

/** Opens a page that writes down every complaint. An absent server is no complaint: the page has to live with it. */
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

/** Runs in the page, and gives the findings of axe, each with its place. */
const findViolations = `(options) => axe.run({ resultTypes: ['violations'], ...options }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`

/** The findings of axe on the current page, by some of its rules or by all. axe stays in the page, so the next call is cheap. */
export async function axeViolations(page: Page, rules: readonly string[] = []): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(axe.source)
  const options = rules.length === 0 ? {} : { runOnly: rules }
  return page.evaluate<string[]>(`(${findViolations})(${JSON.stringify(options)})`)
}
