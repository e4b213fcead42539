import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { FixEvent } from '../../src/model/session/event.ts'
import { makeRepository, type FixtureRepository } from '../fixtures/repositories.ts'
import { startTestServer, type TestServer } from '../fixtures/server.ts'

/** The number of places that a server gives to all of its sessions together. */
const places = 2 * availableParallelism()
const largeCount = 40
const names = {
  large: Array.from({ length: largeCount }, (_, index) => `large-${index + 1}`),
  small: ['small-1', 'small-2'],
}
const timeoutMs = 5 * 60_000

/** A fixer that writes down its begin and its end; in the large session it waits until the gate is open. */
const fixerText = `while read -r key value; do
  value=\${value#?} value=\${value%??}
  case $key in
    '"code":') code=$value ;;
    '"file":') file=$value ;;
    '"feedback":') break ;;
  esac
done < "$FIXPOINT_TASK"
echo "+$file" >> "$1/log"
case $file in large*) until [ -e "$1/gate" ]; do sleep 0.05; done ;; esac
echo right > "$file"
echo "-$file" >> "$1/log"
echo '{"issues":{"'"$code"'":{"outcome":"fixed","files_modified":["'"$file"'"],"changes_summary":"made it right","explanation":"it was wrong","self_evaluation":{"confidence":90,"completeness":"full","risks":[]}}}}'
`

let repository: FixtureRepository | null = null
let server: TestServer | null = null
afterEach(async () => {
  await server?.end()
  repository?.dispose()
  repository = server = null
})

async function serveTwo() {
  const made = (repository = makeRepository(
    Object.fromEntries([...names.large, ...names.small].map((name) => [name, 'wrong\n'])),
  ))
  made.write({
    'fixer.sh': fixerText,
    'fixpoint.yaml': `verify: { commands: [{ name: check, run: "test -e fixer.sh" }] }
agents: { fixer: { use: command, run: sh fixer.sh ${made.folder} } }
challenge: { enabled: false }
fix: { concurrency: ${places} }
`,
  })
  made.commitAll('configure')
  const { client } = (server = await startTestServer(made))
  const { id: repository_id } = await client.addRepository({ path: made.root })
  const findings = [...names.large, ...names.small].map((name) => ({
    file: name,
    line: 1,
    title: `${name} is wrong`,
    severity: 'minor',
    rule: name,
  }))
  const report = JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'scan', findings })
  await client.importFindings(repository_id, report)
  const { issues } = await client.issues(repository_id, { limit: 100 })
  const log = join(made.folder, 'log')
  return {
    log: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    openGate: () => writeFileSync(join(made.folder, 'gate'), ''),
    async start(wanted: readonly string[]) {
      const issue_ids = issues.filter(({ file }) => file && wanted.includes(file)).map(({ id }) => id)
      const { session_id } = await client.start({ repository_id, issue_ids })
      const events: FixEvent[] = []
      const signal = AbortSignal.timeout(timeoutMs)
      const ended = client.follow({ sessionId: session_id, signal, onEvent: (event) => events.push(event) })
      const countOf = (type: string): number => events.filter((event) => event.type === type).length
      return { ended, countOf }
    },
  }
}

const waitFor = (isSo: () => boolean): Promise<boolean> =>
  vi.waitUntil(isSo, { timeout: timeoutMs, interval: 20 })

it(
  'a session of two issues is through while one of forty, which had every place before it, has hardly begun',
  { timeout: timeoutMs },
  async () => {
    const { start, log, openGate } = await serveTwo()
    const large = await start(names.large)
    await waitFor(() => log().length === Math.min(places, largeCount))
    const small = await start(names.small)
    await waitFor(() => small.countOf('fix_cycle_started') === 2)
    openGate()
    await small.ended
    expect(small.countOf('fix_session_completed')).toBe(1)
    expect(large.countOf('fix_session_completed')).toBe(0)
    await large.ended
    expect(large.countOf('fix_issue_committed')).toBe(largeCount)
    const begun = log().filter((line) => line.startsWith('+'))
    expect(Math.max(begun.indexOf('+small-1'), begun.indexOf('+small-2'))).toBeLessThan(places + 10)
    expect(mostAtOnce(log())).toBeLessThanOrEqual(places)
  },
)

function mostAtOnce(log: readonly string[]): number {
  let now = 0
  return Math.max(...log.map((line) => (now += line.startsWith('+') ? 1 : -1)))
}
