import { setTimeout as delay } from 'node:timers/promises'
import { launchBrowser, logIn, openPage } from '/work/main/test/web/browser.ts'
import { openScene } from '/work/main/test/web/scene.ts'
import { mkdirSync } from 'node:fs'
const out = '/tmp/shots'
mkdirSync(out, { recursive: true })
const scene = await openScene({ config: 'fix: { max_rounds: 3 }' })
const { server, repositoryId: r } = scene
const browser = await launchBrowser()
try {
  const ids = ['off-by-one', 'no-nan', 'sql-injection', 'bounds'].map((x) => scene.issueOf(x as never).id)
  const { session_id } = await server.client.start({ repository_id: r, issue_ids: ids })
  const until = Date.now() + 60000
  while (Date.now() < until && (await server.client.approvals()).approvals.length < 2) await delay(200)
  const pages: [string, string][] = [
    ['issues', `/r/${r}/issues`],
    ['issue', `/r/${r}/issues/${scene.issueOf('off-by-one').id}`],
    ['fix', `/r/${r}/fix?issues=${scene.issueOf('weak-random').id},${scene.issueOf('money-float').id}`],
    ['sessions', `/r/${r}/sessions`],
    ['session', `/r/${r}/sessions/${session_id}?issue=${scene.issueOf('off-by-one').code}`],
    ['diff', `/r/${r}/sessions/${session_id}?tab=diff`],
    ['log', `/r/${r}/sessions/${session_id}?tab=log`],
    ['report', `/r/${r}/sessions/${session_id}?tab=report`],
    ['needs', `/r/${r}/needs-you`],
    ['insights', `/r/${r}/insights`],
    ['settings', `/r/${r}/settings`],
  ]
  const only = process.argv[2]?.split(',')
  for (const [name, o] of [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 } }],
    ['phone-dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ] as const) {
    const { page, complaints } = await openPage(browser, o as never)
    await logIn(page, server.url)
    await page.waitForURL(/issues/)
    for (const [p, path] of pages) {
      if (only && !only.includes(p)) continue
      if (name === 'phone-dark' && !['issues', 'session', 'needs'].includes(p)) continue
      await page.goto(server.url + path)
      await delay(900)
      await page.screenshot({ path: `${out}/${p}-${name}.png` })
    }
    console.log(name, complaints)
    await page.context().close()
  }
} finally {
  await browser.close()
  await scene.close()
}
