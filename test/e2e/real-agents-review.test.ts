import { afterEach, expect, it } from 'vitest'
import { survivorsOf } from '../contracts/agent-suite.ts'
import { anthropic } from '../fixtures/model-servers/anthropic.ts'
import { geminiKind } from '../fixtures/model-servers/gemini.ts'
import { startModelServer, type ModelServer } from '../fixtures/model-servers/scenario.ts'
import { claudeAgent, makeRealProject, realAgentEnv, startFixpoint } from '../fixtures/real-agents.ts'
import type { FixtureRepository } from '../fixtures/repositories.ts'

const opened: { repository: FixtureRepository; servers: readonly ModelServer[] }[] = []
afterEach(async () => {
  for (const { repository, servers } of opened.splice(0)) {
    repository.dispose()
    for (const server of servers) await server.close()
  }
})

const cart = `export function total(items) {
  let sum = 0
  for (let index = 0; index <= items.length; index += 1) {
    sum += items[index].price
  }
  return sum
}

export function discount(total, percent) {
  return eval('total * (1 - ' + percent + ' / 100)')
}

export function label(item) {
  return item.name.toUpperCase()
}
`

const finding = (id: string, line: string, title: string, issue: string, severity = 'major') => ({
  id,
  file: 'src/cart.js',
  line,
  title,
  issue,
  severity,
  category: 'bug',
})
const answerOf = (...findings: readonly object[]): string =>
  JSON.stringify({
    groups: [{ description: 'the cart', findings }],
    coverage: { reviewed: ['src/cart.js', 'package.json', 'fixpoint.yaml'], partly: [], skipped: [] },
  })

it('merges what two real reviewers say of the same lines in other words, and names both', async () => {
  const claude = await startModelServer({
    kind: anthropic,
    scenario: [
      {
        text: answerOf(
          finding(
            'F1',
            '3',
            'Loop in total reads past the end of items',
            'index <= items.length reads one too many',
          ),
          finding(
            'F2',
            '10',
            'discount evaluates its argument with eval',
            'percent is run as code',
            'critical',
          ),
          finding('F3', '14', 'label fails for an item without a name', 'item.name may be undefined'),
        ),
      },
    ],
  })
  const gemini = await startModelServer({
    kind: geminiKind,
    scenario: [
      {
        text: answerOf(
          finding('A', '3-5', 'The loop in total reads past the end of the items', 'off by one in the loop'),
          finding(
            'B',
            '9-11',
            'discount uses eval on its argument',
            'code injection through percent',
            'critical',
          ),
          finding(
            'C',
            '6',
            'total returns a float that is not rounded',
            'sums of prices are not exact',
            'minor',
          ),
        ),
      },
    ],
  })
  const repository = makeRealProject(
    { 'package.json': '{ "name": "sample", "type": "module" }\n', 'src/cart.js': cart },
    { reviewers: `[${claudeAgent}, { use: gemini, model: gemini-2.5-pro }]` },
  )
  opened.push({ repository, servers: [claude, gemini] })
  const env = {
    ...realAgentEnv(repository, { anthropic: claude }),
    GEMINI_API_KEY: 'not-a-key',
    GOOGLE_GEMINI_BASE_URL: gemini.url,
  }
  const reviewed = await startFixpoint(repository, env, 'review', '--yes', '--json').done
  expect(reviewed.exitCode, reviewed.stderr + reviewed.stdout).toBe(0)
  const listed = await startFixpoint(repository, env, 'issues', 'list', '--json').done
  const { issues } = listed.json<{ issues: readonly { title: string; flagged_by: readonly string[] }[] }>()
  expect(Object.fromEntries(issues.map(({ title, flagged_by }) => [title, flagged_by.toSorted()]))).toEqual({
    'Loop in total reads past the end of items': ['claude', 'gemini'],
    'discount uses eval on its argument': ['claude', 'gemini'],
    'label fails for an item without a name': ['claude'],
    'total returns a float that is not rounded': ['gemini'],
  })
  expect(issues).toHaveLength(4)
  for (const { requests } of [claude, gemini]) expect(requests).toHaveLength(1)
  expect(survivorsOf(repository.home)).toEqual([])
}, 150_000)
