import { noPowers } from '../../../loop/ports.ts'
import { builtInAgent } from '../../../model/config/written.ts'
import type { AgentDefinition } from '../definition/definition.ts'

const noModel = 'uses no model'

export const rulesDefinition: AgentDefinition = {
  kind: builtInAgent,
  // Findings of the rules bear this name, whatever the configuration calls the agent.
  name: builtInAgent,
  title: 'Built-in rules',
  about:
    'built in: curated rules of oxlint and Ruff with fixes, for JavaScript, TypeScript and Python; no model',
  family: 'rules',
  can: { ...noPowers, readsAll: true, readsTrees: true, writesNoTests: true },
  takes: [],
  refusals: {
    model: noModel,
    thinking_budget: noModel,
    env: 'starts no program that could see them',
  },
  async create({ rules }) {
    const [{ createRulesAgent }, { parseRules }] = await Promise.all([
      import('./index.ts'),
      import('./parse-rules.ts'),
    ])
    return createRulesAgent(parseRules(rules), rules.exclude)
  },
}
