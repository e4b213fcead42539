import { expect, it } from 'vitest'
import { survivorsOf } from '../contracts/agent-suite.ts'
import { claude } from '../fixtures/real-agents/claude.ts'
import { gemini } from '../fixtures/real-agents/gemini.ts'
import { review } from '../fixtures/real-agents/issues.ts'
import { openInTest } from '../fixtures/real-agents/project.ts'

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
const answerOf = (...findings: readonly object[]) => ({
  groups: [{ description: 'the cart', findings }],
  coverage: { reviewed: ['src/cart.js', 'package.json', 'fixpoint.yaml'], partly: [], skipped: [] },
})

const saidByClaude = answerOf(
  finding('F1', '3', 'Loop in total reads past the end of items', 'index <= items.length reads one too many'),
  finding('F2', '10', 'discount evaluates its argument with eval', 'percent is run as code', 'critical'),
  finding('F3', '14', 'label fails for an item without a name', 'item.name may be undefined'),
)
const saidByGemini = answerOf(
  finding('A', '3-5', 'The loop in total reads past the end of the items', 'off by one in the loop'),
  finding('B', '9-11', 'discount uses eval on its argument', 'code injection through percent', 'critical'),
  finding('C', '6', 'total returns a float that is not rounded', 'sums of prices are not exact', 'minor'),
)

it(
  'merges what two real reviewers say of the same lines in other words, and names both',
  { timeout: 600_000 },
  async () => {
    const project = await openInTest({
      files: { 'package.json': '{ "name": "sample", "type": "module" }\n', 'src/cart.js': cart },
      reviewers: [
        { vendor: claude, steps: [claude.answer(saidByClaude)] },
        { vendor: gemini, steps: [gemini.answer(saidByGemini)] },
      ],
    })
    await review(project)
    const listed = await project.run('issues', 'list', '--json')
    const { issues } = listed.json<{ issues: readonly { title: string; flagged_by: readonly string[] }[] }>()
    expect(Object.fromEntries(issues.map(({ title, flagged_by }) => [title, flagged_by.toSorted()]))).toEqual(
      {
        'Loop in total reads past the end of items': ['claude', 'gemini'],
        'discount uses eval on its argument': ['claude', 'gemini'],
        'label fails for an item without a name': ['claude'],
        'total returns a float that is not rounded': ['gemini'],
      },
    )
    expect(issues).toHaveLength(4)
    for (const vendor of [claude, gemini]) expect(project.serverOf(vendor).requests).toHaveLength(1)
    expect(survivorsOf(project.repository.home)).toEqual([])
  },
)
