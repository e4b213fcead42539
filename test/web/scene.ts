import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Issue } from '../../src/model/issue/issue.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { startTestServer, type TestServer } from '../fixtures/server.ts'

/** A small shop with the mistakes that its issues are about. */
const files = {
  'src/cart.mjs': `/** The sum of a cart, in cents. */
export function total(items) {
  let sum = 0
  for (const item of items) sum += item.price * item.count
  return sum - 1
}
`,
  'src/price.mjs': `export const format = (cents) => '$' + cents / 100

export const isMissing = (value) => value === NaN
`,
  'src/search.mjs': `import { run } from './db.mjs'

export const find = (name) => run("select * from products where name = '" + name + "'")
`,
  'src/db.mjs': `export const run = (sql) => [sql]

/** How long the tests wait for it. */
export const delayMs = 0
`,
  'src/session.mjs': `export function newToken() {
  return Math.random().toString(36).slice(2)
}
`,
  'src/stock.mjs': `export const isInStock = (count) => count >= 0
`,
  'test/cart.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { total } from '../src/cart.mjs'
import { delayMs } from '../src/db.mjs'

if (delayMs > 0) {
  console.log('waiting for the database')
  await new Promise((done) => setTimeout(done, delayMs))
}

test('a cart has a sum', () => {
  assert.equal(typeof total([]), 'number')
  assert.ok(total([{ price: 2, count: 3 }]) > 0)
})
`,
}

/** Each issue by its rule: what the fixer changes, and how the challenger judges it round by round. */
const fixer = `
  const say = (text) => console.log(text)
  if (task.role === 'clarifier') {
    const asked = task.issues.filter(({ code }) => (task.clarifications[code] ?? []).length === 0 && ['weak-random', 'money-float'].includes(task.issues.find((one) => one.code === code).rule))
    console.log(JSON.stringify({ ready_to_fix: asked.length === 0, questions: asked.map(({ code }) => ({ issue_code: code, question: 'How long may it be?', context: 'The column in the database has a limit.', options: ['32 characters', '64 characters'], assumption: '32 characters' })) }))
    return null
  }
  say('Reading ' + issue.file + ' …')
  const isTold = (what) => fs.existsSync(import.meta.dirname + '/' + what + '-' + issue.rule)
  while (isTold('wait')) await new Promise((done) => setTimeout(done, 20))
  if (isTold('dispute')) return { outcome: 'false_positive', explanation: 'Nobody calls it like that.' }
  if (isTold('quota')) {
    say(JSON.stringify({ failure: { kind: 'quota', message: 'used up for this month', reset_at: '2999-01-01T00:00:00Z' } }))
    process.exit(1)
  }
  if (issue.rule === 'off-by-one') {
    edit(issue.file, /return (sum - 1|Number\\(sum\\))/, task.round === 1 ? 'return Number(sum)' : 'return sum')
    say('The sum is one cent too low: the subtraction has no reason. I take it out.')
  }
  if (issue.rule === 'no-nan') edit(issue.file, 'value === NaN', 'Number.isNaN(value)')
  if (issue.rule === 'sql-injection') {
    edit(issue.file, /run\\(.*\\)\\n/, "run('select * from products where name = ?', name)\\n")
    edit('src/db.mjs', '(sql) => [sql]', '(sql, ...values) => [sql, values]')
  }
  if (issue.rule === 'weak-random') edit(issue.file, 'return Math.random().toString(36).slice(2)', "return crypto.randomUUID().replaceAll('-', '')")
  if (issue.rule === 'money-float') edit(issue.file, "'$' + cents / 100", "'$' + (cents / 100).toFixed(2)")
  if (issue.rule === 'stub') edit(issue.file, 'delayMs = 0', 'delayMs = 1500')
  if (issue.rule === 'bounds') {
    edit(issue.file, 'count >= 0', 'count > 0')
    if (task.round === 1) edit('test/cart.test.mjs', /  assert.ok.*\\n/, '')
  }
  return { changes_summary: 'Changed ' + issue.file, explanation: 'The smallest change that removes the cause.' }
`
const challenger = `
  if (fs.existsSync(import.meta.dirname + '/dispute-' + issue.rule)) return { feedback: 'It is called like that.', quality_scores: { correctness: 20, safety: 40, minimality: 50, style_consistency: 50 }, improvements_needed: [] }
  const first = task.issues[0].rule === 'off-by-one' && task.round === 1
  return first
    ? { feedback: 'The cause is gone, but the conversion has no use here.', quality_scores: { correctness: 88, safety: 92, minimality: 62, style_consistency: 84 }, improvements_needed: ['Return the sum as it is.'] }
    : { feedback: 'Correct and small.', quality_scores: { correctness: 97, safety: 96, minimality: 94, style_consistency: 93 }, improvements_needed: [] }
`

/** A reviewer that says what it does, waits while it is told to, and finds one thing. */
const reviewer = `
  console.log('Looking at the cart …')
  while (fs.existsSync(import.meta.dirname + '/wait-review')) await new Promise((done) => setTimeout(done, 20))
  const found = { file: 'src/cart.mjs', line: '2', title: 'A cart without items is not allowed for', issue: 'It throws.', severity: 'minor', category: 'correctness' }
  const coverage = { reviewed: ['src/cart.mjs', 'src/db.mjs', 'src/price.mjs'], partly: [{ file: 'src/search.mjs', why: 'too long' }], skipped: [{ file: 'src/stock.mjs', why: 'no time' }] }
  console.log(JSON.stringify({ groups: [{ findings: [found] }], coverage }))
  return null
`

const findings = [
  {
    file: 'src/search.mjs',
    line: 3,
    rule: 'sql-injection',
    severity: 'critical',
    category: 'security',
    title: 'SQL is built from what a user types',
    description:
      'The name comes from the query string and is put into the statement as it is. Whoever types a quote can read every table.',
  },
  {
    file: 'src/session.mjs',
    line: 2,
    rule: 'weak-random',
    severity: 'critical',
    category: 'security',
    title: 'Session tokens can be guessed',
    description: 'Math.random is not made for secrets.',
  },
  {
    file: 'src/cart.mjs',
    line: 5,
    rule: 'off-by-one',
    severity: 'major',
    category: 'correctness',
    title: 'The sum of a cart is one cent too low',
    description: 'The loop adds every item; the subtraction after it has no reason.',
  },
  {
    file: 'src/price.mjs',
    line: 3,
    rule: 'no-nan',
    severity: 'minor',
    category: 'correctness',
    title: 'Comparing with NaN is always false',
    description: 'Use Number.isNaN.',
  },
  {
    file: 'src/stock.mjs',
    line: 1,
    rule: 'bounds',
    severity: 'major',
    category: 'correctness',
    title: 'Nothing left counts as in stock',
    description: 'Zero pieces are not in stock.',
  },
  {
    file: 'src/price.mjs',
    line: 1,
    rule: 'money-float',
    severity: 'info',
    category: 'style',
    title: 'Cents are divided as floating point',
    description: 'Format with Intl.NumberFormat.',
  },
  {
    file: 'src/db.mjs',
    line: 1,
    rule: 'stub',
    severity: 'info',
    category: 'general',
    title: 'The database only pretends',
    description: 'It gives back what it was asked.',
  },
] as const

export type Rule = (typeof findings)[number]['rule']

/** The same claims in the format of a scanner. */
export const sarif = (): string =>
  JSON.stringify({
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'shopscan',
            rules: findings.map(({ rule, description, category }) => ({
              id: rule,
              fullDescription: { text: description },
              properties: { tags: [category] },
            })),
          },
        },
        results: findings.map(({ file, line, rule, severity, title }) => ({
          ruleId: rule,
          level: { critical: 'error', major: 'error', minor: 'warning', info: 'note' }[severity],
          message: { text: title },
          locations: [{ physicalLocation: { artifactLocation: { uri: file }, region: { startLine: line } } }],
        })),
      },
    ],
  })

/** An order for the fixer of an issue, which it follows before its work. */
const orders = ['wait', 'dispute', 'quota'] as const
const orderFile = ({ folder }: Project, what: (typeof orders)[number], rule: Rule): string =>
  join(folder, `${what}-${rule}`)

export interface Scene {
  readonly project: Project
  readonly server: TestServer
  readonly repositoryId: Issue['repository_id']
  readonly issueOf: (rule: Rule) => Promise<Issue>
  /** Lets the fixer of an issue work after it had another order. */
  readonly go: (rule: Rule) => void
  /** Makes the reviewer wait until it is released. */
  readonly holdReview: () => void
  readonly letReviewGo: () => void
  /** Starts the same server again, on the same port. */
  readonly serveAgain: () => Promise<TestServer>
  readonly close: () => Promise<void>
}

export interface SceneOptions {
  /** The fixers of these issues wait until they are told to go on. */
  readonly waiting?: readonly Rule[]
  /** The fixers of these issues call them false positives, and the challenger disagrees. */
  readonly disputing?: readonly Rule[]
  /** The fixers of these issues have no quota left. */
  readonly outOfQuota?: readonly Rule[]
  readonly config?: string
  /** Whether the findings are there already. */
  readonly isEmpty?: boolean
}

/** A repository with scripted agents, its findings, and `fixpoint serve` on it. */
export async function openScene({
  config = '',
  waiting = [],
  disputing = [],
  outOfQuota = [],
  isEmpty = false,
}: SceneOptions = {}): Promise<Scene> {
  const project = await makeProject({ files, fixer, challenger, reviewers: [reviewer], config })
  const told = { wait: waiting, dispute: disputing, quota: outOfQuota }
  for (const what of orders) for (const rule of told[what]) writeFileSync(orderFile(project, what, rule), '')
  if (!isEmpty) await project.import(findings)
  const args = ['--grace', '300ms']
  let server = await startTestServer({ ...project, args })
  const repositoryId = project.app.repository.id
  return {
    project,
    get server() {
      return server
    },
    repositoryId,
    async issueOf(rule) {
      const { issues } = await server.client.issues(repositoryId)
      const found = issues.find((issue) => issue.rule === rule)
      if (!found) throw new Error(`the scene has no issue of ${rule}`)
      return found
    },
    go: (rule) => orders.forEach((what) => rmSync(orderFile(project, what, rule), { force: true })),
    holdReview: () => writeFileSync(join(project.folder, 'wait-review'), ''),
    letReviewGo: () => rmSync(join(project.folder, 'wait-review'), { force: true }),
    async serveAgain() {
      server = await startTestServer({ ...project, args, port: server.port })
      return server
    },
    async close() {
      if (server.process.exitCode === null && server.process.signalCode === null) await server.end('SIGKILL')
      await project.close()
    },
  }
}
