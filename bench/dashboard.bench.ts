import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { makeFolder } from '../test/fixtures/repositories.ts'
import { serverToken } from '../test/fixtures/server.ts'
import { repositoryId } from '../test/fixtures/store/samples.ts'
import { buildDashboard, launchBrowser, logIn, openPage } from '../test/web/browser.ts'
import type { Figure } from './figure.ts'
import { median, quantile } from './statistics.ts'

export const title =
  'The dashboard in a browser: its size, its first rows, live events, an idle tab, 50 tabs, 100,000 rows'
export const parts = ['page', 'events', 'idle', 'tabs', 'scrolling'] as const

const ISSUES = 100_000
const SESSIONS = 500
const TABS = 50
const TAB_EVENTS = 20
/** Processor time is counted in ticks, so the tabs are watched long enough for many of them. */
const IDLE_MS = 20_000
const EVENTS = 60
const PAINTS = 7
const SCROLLS = 300

const dist = join(import.meta.dirname, '../dist/web')

// These run in the page. They are text because this file is not type-checked for a browser.
const notePaint = `{
  const observer = new MutationObserver(() => {
    if (!document.querySelector('[role=row]')) return
    observer.disconnect()
    requestAnimationFrame(() => (window.paintedAt = performance.now()))
  })
  observer.observe(document, { childList: true, subtree: true })
  window.paintedAt = 0
}`
const noteDelays = `{
  window.delays = []
  const read = (node) => {
    const sentAt = /sent at (\\d+)/i.exec(node.textContent ?? '')?.[1]
    if (sentAt) requestAnimationFrame(() => window.delays.push(Date.now() - Number(sentAt)))
  }
  const observer = new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach(read)))
  observer.observe(document, { childList: true, subtree: true })
}`
/** The browser of the bench has no tabs and shows every page, so it tells pages that they are hidden as tabs would be told. */
const hide = `{
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })
  document.dispatchEvent(new Event('visibilitychange'))
}`
const show = `{
  delete document.hidden
  delete document.visibilityState
  document.dispatchEvent(new Event('visibilitychange'))
}`
const scroll = `(async () => {
  const grid = document.querySelector('[role=grid]')
  for (let count = 0; count < ${SCROLLS}; count += 1) {
    grid.scrollBy(0, 600)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
})()`

export async function run(part?: string): Promise<readonly Figure[]> {
  buildDashboard()
  const { folder, dispose } = makeFolder()
  const server = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('./dashboard-server.ts', import.meta.url)),
      folder,
      serverToken,
      String(ISSUES),
      String(SESSIONS),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const browser = await launchBrowser()
  try {
    const url = await firstLine(server)
    const issues = `${url}/r/${repositoryId}/issues`
    const measures: Readonly<Record<(typeof parts)[number], () => Promise<readonly Figure[]>>> = {
      page: () => measureFirstPage(browser, url, issues),
      events: () => measureEvents(browser, url, server),
      idle: () => measureIdle(browser, url, server),
      tabs: () => measureTabs(browser, url, server),
      scrolling: () => measureScrolling(browser, url, issues),
    }
    const figures: Figure[] = []
    for (const name of parts)
      if (part === undefined || part === name) figures.push(...(await measures[name]()))
    return figures
  } finally {
    await browser.close()
    server.stdin?.end()
    server.kill()
    if (server.exitCode === null) await once(server, 'exit')
    dispose()
  }
}

async function firstLine(server: ChildProcess): Promise<string> {
  if (!server.stdout) throw new Error('the server says nothing')
  const lines = createInterface({ input: server.stdout })
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?]
  if (line === undefined) throw new Error('the server ended before it said where it is')
  return line
}

async function open(browser: Browser, url: string): Promise<Page> {
  const { page } = await openPage(browser)
  await logIn(page, url)
  await page.waitForURL(/issues$/)
  return page
}

/** Reads a value in the page until it is as wanted. The page's policy forbids a wait for text inside of the page. */
async function readUntil<Value>(page: Page, text: string, isDone: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await page.evaluate<Value>(text)
    if (isDone(value)) return value
    await delay(20)
  }
}

/** Opens the page with an empty cache each time, and measures until the first rows are painted. */
async function measureFirstPage(browser: Browser, url: string, issues: string): Promise<readonly Figure[]> {
  const paints: number[] = []
  let scripts: readonly string[] = []
  for (let round = 0; round < PAINTS; round += 1) {
    const page = await open(browser, url)
    const loaded: string[] = []
    page.on('response', (response) => loaded.push(new URL(response.url()).pathname))
    const session = await page.context().newCDPSession(page)
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    await page.addInitScript({ content: notePaint })
    await page.goto(issues)
    paints.push(await readUntil<number>(page, 'paintedAt', (at) => at > 0))
    scripts = loaded.filter((path) => path.endsWith('.js'))
    await page.context().close()
  }
  const bytes = [...new Set(scripts)].reduce(
    (sum, path) => sum + gzipSync(readFileSync(join(dist, path))).length,
    0,
  )
  return [
    { name: 'JavaScript of the first page, gzipped', value: bytes / 1_000, limit: 170, unit: 'kB' },
    {
      name: `first rows of 100,000, beside ${SESSIONS} sessions`,
      value: median(paints),
      limit: 1_000,
      unit: 'ms',
    },
  ]
}

/** Measures how long events take to the screen. Each event carries its time of sending, and server and browser share a clock. */
async function measureEvents(
  browser: Browser,
  url: string,
  { stdin }: ChildProcess,
): Promise<readonly Figure[]> {
  const page = await open(browser, url)
  await page.addInitScript({ content: noteDelays })
  await page.goto(`${url}/r/${repositoryId}/sessions/ses_zz?tab=log`)
  await page.locator('[data-seq]').first().waitFor()
  stdin?.write(`${EVENTS}\n`)
  const delays = await readUntil<number[]>(page, 'delays', (known) => known.length >= EVENTS)
  await page.context().close()
  return [
    { name: 'from an event to the screen', value: median(delays), limit: 100, unit: 'ms' },
    { name: 'from an event to the screen, 95 %', value: quantile(delays, 0.95), limit: 100, unit: 'ms' },
  ]
}

/** The milliseconds that a process has worked so far, as the kernel counts them. */
function processorMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Measures tabs that nobody touches while nothing happens: one of each kind that people leave open all day. */
async function measureIdle(
  browser: Browser,
  url: string,
  { pid = 0 }: ChildProcess,
): Promise<readonly Figure[]> {
  const page = await open(browser, url)
  const context = page.context()
  for (const path of ['sessions/ses_zz', 'needs-you', 'insights'])
    await (await context.newPage()).goto(`${url}/r/${repositoryId}/${path}`)
  await delay(5_000)
  const [fromMs, startMs] = [performance.now(), processorMsOf(pid)]
  await delay(IDLE_MS)
  const share = ((processorMsOf(pid) - startMs) / (performance.now() - fromMs)) * 100
  await context.close()
  return [{ name: 'the server for an idle tab (of four)', value: share / 4, limit: 1, unit: '% of a core' }]
}

/** Opens many tabs of one person on a running session; the tabs share one line to the server. */
async function openTabs(first: Page, url: string): Promise<readonly Page[]> {
  const context = first.context()
  await context.addInitScript({ content: noteDelays })
  const tabs: Page[] = []
  for (let count = 0; count < TABS; count += 1) {
    const tab = count === 0 ? first : await context.newPage()
    await tab.goto(`${url}/r/${repositoryId}/sessions/ses_zz?tab=log`)
    await tab.locator('[data-seq]').first().waitFor()
    tabs.push(tab)
  }
  await delay(3_000)
  return tabs
}

/** The processor time of the main threads of pages so far, which other work of the machine does not change. */
async function watchWork(tabs: readonly Page[]): Promise<() => Promise<number>> {
  const sessions = await Promise.all(tabs.map((tab) => tab.context().newCDPSession(tab)))
  for (const session of sessions) await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const all = await Promise.all(sessions.map((session) => session.send('Performance.getMetrics')))
    const tasks = all.flatMap(({ metrics }) => metrics.filter(({ name }) => name === 'TaskDuration'))
    return tasks.reduce((sum, { value }) => sum + value, 0) * 1_000
  }
}

/** Measures what one sees who has many tabs open and looks at one, then the same with all of them in sight at once. */
async function measureTabs(
  browser: Browser,
  url: string,
  { pid = 0, stdin }: ChildProcess,
): Promise<readonly Figure[]> {
  const first = await open(browser, url)
  const tabs = await openTabs(first, url)
  const sendTo = async (seen: readonly Page[]): Promise<readonly number[]> => {
    for (const tab of tabs) await tab.evaluate('window.delays = []')
    stdin?.write(`${TAB_EVENTS}\n`)
    const delays: number[] = []
    for (const tab of seen)
      delays.push(...(await readUntil<number[]>(tab, 'delays', (known) => known.length >= TAB_EVENTS)))
    return delays
  }
  const others = tabs.slice(1)
  for (const tab of others) await tab.evaluate(hide)
  const readHiddenMs = await watchWork(others)
  const hiddenFromMs = await readHiddenMs()
  const seen = await sendTo([first])
  const hiddenMs = (await readHiddenMs()) - hiddenFromMs
  for (const tab of others) await tab.evaluate(show)
  await delay(3_000)
  const readSeenMs = await watchWork(tabs)
  const [serverFromMs, seenFromMs] = [processorMsOf(pid), await readSeenMs()]
  const all = await sendTo(tabs)
  const [serverMs, seenMs] = [processorMsOf(pid) - serverFromMs, (await readSeenMs()) - seenFromMs]
  await first.context().close()
  const hiddenTabs = `${TABS - 1} others are hidden`
  return [
    {
      name: `from an event to the tab in sight, while ${hiddenTabs}`,
      value: median(seen),
      limit: 100,
      unit: 'ms',
    },
    { name: 'the same, 95 %', value: quantile(seen, 0.95), limit: 100, unit: 'ms' },
    { name: 'a hidden tab for an event', value: hiddenMs / TAB_EVENTS / others.length, limit: 1, unit: 'ms' },
    {
      name: `from an event to ${TABS} windows in sight at once`,
      value: median(all),
      limit: 1_000,
      unit: 'ms',
    },
    { name: 'a tab in sight for an event', value: seenMs / TAB_EVENTS / TABS, limit: 4, unit: 'ms' },
    { name: `the server for an event in ${TABS} tabs`, value: serverMs / TAB_EVENTS, limit: 50, unit: 'ms' },
  ]
}

/** Scrolls through thousands of rows while more are loaded. It counts processor time, so other work of the machine does not matter. */
async function measureScrolling(browser: Browser, url: string, issues: string): Promise<readonly Figure[]> {
  const page = await open(browser, url)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const readMs = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
  }
  await page.goto(issues)
  await page.getByRole('row').first().waitFor()
  const beforeMs = await readMs()
  await page.evaluate(scroll)
  const frameMs = ((await readMs()) - beforeMs) / SCROLLS
  const rows = await page.getByRole('row').count()
  await page.context().close()
  return [
    { name: 'a frame while scrolling through 100,000 rows', value: frameMs, limit: 16.7, unit: 'ms' },
    { name: 'rows in the page at once', value: rows, limit: 100, unit: 'rows' },
  ]
}
