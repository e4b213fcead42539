/** Makes the pictures of the guide from a real server with scripted agents: `node scripts/screenshots.ts [folder]`. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { buildDashboard, launchBrowser, logIn, openPage } from '../test/web/browser.ts'
import { openScene, type Rule, type Scene } from '../test/web/scene.ts'

const folder = process.argv[2] ?? join(import.meta.dirname, '../docs/guide/images')

/** A session in the middle of its work: one issue is being fixed, two wait for a person, the others have landed. */
async function startSession({ server, repositoryId, issueOf }: Scene): Promise<string> {
  const rules: readonly Rule[] = ['sql-injection', 'off-by-one', 'bounds', 'no-nan', 'weak-random']
  const issues = await Promise.all(rules.map((rule) => issueOf(rule)))
  const { session_id: id } = await server.client.start({
    repository_id: repositoryId,
    issue_ids: issues.map((issue) => issue.id),
  })
  const isReady = async (): Promise<boolean> => {
    const { approvals } = await server.client.approvals()
    const { attempts } = await server.client.session(id)
    return approvals.length > 1 && attempts.filter(({ stage }) => stage === 'settled').length > 1
  }
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 200))
  return id
}

async function shoot(page: Page, name: string, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined) // a live page is never idle
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

async function shootAll(scene: Scene): Promise<void> {
  const { server, repositoryId, issueOf } = scene
  const browser = await launchBrowser()
  try {
    const at = `${server.url}/r/${repositoryId}`
    const { page } = await openPage(browser, { viewport: { width: 1280, height: 860 } })
    await logIn(page, server.url)
    await page.waitForURL(/issues$/)
    await shoot(page, 'issues', `${at}/issues`)
    const ids = await Promise.all([issueOf('weak-random'), issueOf('money-float')])
    await shoot(page, 'fix', `${at}/fix?issues=${ids.map(({ id }) => id).join(',')}`)
    const session = await startSession(scene)
    const { code } = await issueOf('off-by-one')
    await shoot(page, 'session', `${at}/sessions/${session}`)
    await shoot(page, 'needs-you', `${at}/needs-you`)
    scene.go('off-by-one')
    await page.goto(`${at}/sessions/${session}?issue=${code}`)
    await page.getByText('Return the sum as it is.').first().waitFor({ state: 'attached' })
    await page.locator('summary').filter({ hasText: 'Round 1' }).click()
    await page.getByText('Return the sum as it is.').first().scrollIntoViewIfNeeded()
    await page.screenshot({ path: join(folder, 'scores.png') })
    await shoot(page, 'timing', `${at}/sessions/${session}?tab=timing`)
    const dark = await openPage(browser, { colorScheme: 'dark', viewport: { width: 1280, height: 860 } })
    await logIn(dark.page, server.url)
    await dark.page.waitForURL(/issues$/)
    await shoot(dark.page, 'session-dark', `${at}/sessions/${session}`)
    const phone = { colorScheme: 'dark', viewport: { width: 390, height: 780 } } as const
    const { page: small } = await openPage(browser, phone)
    await logIn(small, server.url)
    await small.waitForURL(/issues$/)
    await shoot(small, 'phone', `${at}/sessions/${session}`)
  } finally {
    await browser.close()
  }
}

mkdirSync(folder, { recursive: true })
buildDashboard()
const scene = await openScene({ waiting: ['off-by-one'], disputing: ['weak-random'] })
try {
  await shootAll(scene)
} finally {
  await scene.close()
}
