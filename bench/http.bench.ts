import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openSqliteStore } from '../src/adapters/store/index.ts'
import { IssueStatus } from '../src/model/issue/issue.ts'
import { Severity } from '../src/model/issue/severity.ts'
import { makeFolder } from '../test/fixtures/repositories.ts'
import {
  issueOf,
  numbered,
  repositoryId,
  sampleFinding,
  sampleReview,
} from '../test/fixtures/store/samples.ts'
import { startTestServer, serverToken } from '../test/fixtures/server.ts'
import type { Figure } from './figure.ts'
import { createRandom } from './statistics.ts'

export const title = 'The list of issues over HTTP, out of 100,000, asked for over kept connections'

const ISSUES = 100_000
const CONNECTIONS = 16
const SECONDS = 5

const random = createRandom(1)
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item

export async function run(): Promise<readonly Figure[]> {
  const { folder, env, dispose } = makeFolder()
  try {
    await fill(join(folder, 'fixpoint.db'))
    const server = await startTestServer({ root: folder, home: folder, env, args: ['--log-level', 'error'] })
    const list = `/api/fix/issues/${repositoryId}`
    const lists = [
      list,
      ...IssueStatus.options.flatMap((status) =>
        Severity.options.map((severity) => `${list}?status=${status}&severity=${severity}`),
      ),
    ]
    for (const path of lists) await server.ask(path)
    const perSecond = await load(server.port, lists)
    await server.end()
    // A figure has an upper limit and no lower one, so it states the time of one answer.
    return [
      {
        name: `one answer (${Math.round(perSecond)} per second)`,
        value: 1e6 / perSecond,
        limit: 200,
        unit: 'µs',
      },
    ]
  } finally {
    dispose()
  }
}

async function fill(file: string): Promise<void> {
  const store = await openSqliteStore({ file, now: Date.now })
  await store.repositories.ensure({ key: 'bench', path: '/nowhere', newId: repositoryId })
  const review = sampleReview(numbered('rev', 1))
  const created = Array.from({ length: ISSUES }, (_, number) => {
    const finding = sampleFinding(review, number, { severity: pick(Severity.options) })
    return issueOf(finding, numbered('iss', number), { status: pick(IssueStatus.options) })
  })
  const plan = () => ({ created, changed: [], issueOf: [] })
  await store.issues.triage({ review, count: 0, parts: [{ findings: [], plan }] })
  await store.close()
}

async function load(port: number, paths: readonly string[]): Promise<number> {
  const script = join(import.meta.dirname, 'http-load.js')
  const args = [script, port, CONNECTIONS, SECONDS, serverToken, ...paths].map(String)
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  await once(child, 'exit')
  return Number(said) / SECONDS
}
