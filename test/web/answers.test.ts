import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { fixIssues } from '../../src/app/fix/fix-issues.ts'
import { axeViolations } from './browser.ts'
import { eventually, openDashboard, type Dashboard } from './dashboard.ts'
import type { Rule, Scene } from './scene.ts'

let dashboard: Dashboard
let scene: Scene
let page: Page

beforeAll(async () => {
  dashboard = await openDashboard({
    waiting: ['off-by-one'],
    disputing: ['weak-random', 'money-float'],
    outOfQuota: ['no-nan', 'sql-injection'],
  })
  ;({ scene, page } = dashboard)
})
afterAll(() => dashboard.close())
afterEach(() => dashboard.expectNoComplaints())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const disputed = () => page.getByText('Disputed', { exact: true })

async function startDispute(rule: Rule): Promise<string> {
  const code = await dashboard.start(rule)
  await dashboard.over()
  await dashboard.lane(code).filter({ hasText: 'Disputed' }).waitFor()
  await page.getByText('1 dispute waits for your answer').waitFor(eventually)
  await page.getByRole('link', { name: 'Answer' }).click()
  await disputed().waitFor(eventually)
  return code
}

describe('a dispute', () => {
  it('that the person settles for the fixer leaves the issue ignored, with the reason', async () => {
    await startDispute('weak-random')
    await page.getByText('Nobody calls it like that.').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await button('Agree and ignore the issue').click()
    await dashboard.answered()
    const { id, status } = await scene.issueOf('weak-random')
    expect(status).toBe('ignored')
    await dashboard.go(`/issues/${id}`)
    await page.getByText('a false positive, agreed by Ada').first().waitFor()
  })

  it('that the person settles against the fixer leaves the issue open, and the next fixer reads why', async () => {
    const code = await startDispute('money-float')
    await button('Disagree…').click()
    await page.getByRole('heading', { name: `${code} is no false positive` }).waitFor()
    await page.getByLabel('Why?').fill('the shop calls it with 5')
    await button('Disagree').click()
    await dashboard.answered()
    expect(await dashboard.statusOf('money-float')).toBe('open')
    scene.go('money-float')
    await dashboard.start('money-float')
    await dashboard.over()
    expect(await dashboard.statusOf('money-float')).toBe('resolved')
    expect(dashboard.lastPrompt(code)).toContain('no, says Ada: the shop calls it with 5')
  })
})

describe('a patch that weakens a test', () => {
  it('lands once it is approved, and the page says who approved which file', async () => {
    const code = await dashboard.start('bounds')
    await page.getByRole('link', { name: 'Answer' }).click(eventually)
    await page.getByText('May this patch change what judges it').waitFor()
    await button('Approve exactly this file').click()
    await page.getByRole('heading', { name: 'This patch changes what judges it' }).waitFor()
    await button('Approve all the same').click()
    await dashboard.answered()
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.getByRole('link', { name: 'fix/nothing-left-counts-as-in-stock' }).click()
    await dashboard.over()
    await dashboard.lane(code).filter({ hasText: 'Fixed' }).click()
    await page.getByText('approved by Ada: test/cart.test.mjs').waitFor()
    expect(await axeViolations(page)).toEqual([])
    expect(await dashboard.statusOf('bounds')).toBe('resolved')
    await page.getByRole('link', { name: 'Diff' }).click()
    await page.getByRole('region', { name: 'Changes of test/cart.test.mjs' }).waitFor()
  })
})

describe('a session that rests', () => {
  it('without quota says until when, and goes on when the person resumes it', async () => {
    await dashboard.start('no-nan')
    await page.getByText('The session rests').filter({ hasText: 'used up' }).waitFor(eventually)
    await page.getByText('Parked', { exact: true }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    scene.go('no-nan')
    await button('Resume').click()
    await dashboard.over()
    await page.getByText('1 of 1 fixed').first().waitFor()
    expect(await dashboard.statusOf('no-nan')).toBe('resolved')
  })

  it('is cancelled, and its issue is open again', async () => {
    await dashboard.start('sql-injection')
    await page.getByText('Parked', { exact: true }).waitFor(eventually)
    expect(await dashboard.statusOf('sql-injection')).toBe('in_progress')
    await button('Cancel session').click()
    await button('Cancel for good').click()
    await dashboard.over()
    await page.getByText('Cancelled', { exact: true }).first().waitFor()
    expect(await button('Resume').count()).toBe(0)
    await expect.poll(() => dashboard.statusOf('sql-injection'), eventually).toBe('open')
  })

  it('because a person stopped it elsewhere is said to be stopped, and goes on from the page', async () => {
    const { project } = scene
    const issue = await scene.issueOf('off-by-one')
    const stopping = new AbortController()
    const stopped = fixIssues(
      project.app,
      { issues: [issue] },
      { stopStarting: stopping.signal, endNow: new AbortController().signal },
    )
    await expect.poll(() => dashboard.lastPrompt(issue.code), eventually).not.toBe('')
    stopping.abort()
    scene.go('off-by-one')
    const { session_id: id } = (await stopped).result
    await dashboard.go('/sessions')
    await page.getByRole('row').filter({ hasText: 'Stopped' }).getByRole('link').click()
    await page.waitForURL(new RegExp(id))
    await page.getByText('The session rests').waitFor()
    await page.getByText('Stopped', { exact: true }).first().waitFor()
    expect(await axeViolations(page)).toEqual([])
    await button('Resume').click()
    await dashboard.over()
    expect(await dashboard.statusOf('off-by-one')).toBe('resolved')
  })
})

describe('many issues at once', () => {
  const titles = ['SQL is built from what a user types', 'The database only pretends']
  const select = async () => {
    for (const title of titles) await dashboard.row(title).getByRole('checkbox').check()
    await page.getByText('2 issues selected').waitFor()
  }

  it('are ignored with one reason until a day, and opened again', async () => {
    await dashboard.go('/issues')
    await select()
    await button('Ignore…').click()
    await page.getByRole('heading', { name: 'Ignore: 2 issues' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByLabel('Why?').fill('rewritten next month')
    await page.getByLabel('Until (optional)').fill('2999-12-31')
    await button('Ignore').click()
    for (const title of titles) await dashboard.row(title).waitFor({ state: 'detached' })
    for (const rule of ['sql-injection', 'stub'] as const)
      expect(await scene.issueOf(rule)).toMatchObject({
        status: 'ignored',
        ignored: { reason: 'rewritten next month', until: expect.stringContaining('2999-12-31') },
      })
    await dashboard.go('/issues?status=ignored')
    await select()
    await button('Reopen').click()
    for (const title of titles) await dashboard.row(title).waitFor({ state: 'detached' })
    expect(await dashboard.statusOf('sql-injection')).toBe('open')
  })

  it('are marked as duplicates of another, which has to exist', async () => {
    const { code } = await scene.issueOf('weak-random')
    await dashboard.go('/issues')
    await select()
    await button('Duplicate…').click()
    const other = page.getByLabel('The issue that it is the same as')
    await other.fill('BE-999')
    await button('Mark as duplicate').click()
    await page
      .getByRole('alert')
      .filter({ hasText: '2 were refused' })
      .filter({ hasText: 'BE-999' })
      .waitFor()
    expect(await dashboard.statusOf('stub')).toBe('open')
    await button('Duplicate…').click()
    await other.fill(code)
    await button('Mark as duplicate').click()
    for (const title of titles) await dashboard.row(title).waitFor({ state: 'detached' })
    const { id, duplicate_of } = await scene.issueOf('stub')
    expect(duplicate_of).toBe((await scene.issueOf('weak-random')).id)
    await dashboard.go(`/issues/${id}`)
    await page.getByRole('link', { name: code }).waitFor()
  })
})
